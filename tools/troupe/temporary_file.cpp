#include "temporary_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace troupe::program {

Result<TemporaryFile> TemporaryFile::create(const std::string& prefix) {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  auto path = (error ? std::filesystem::path("/tmp") : folder) / (prefix + "XXXXXX");
  std::string name = path.string();
  const int file = mkstemp(name.data());
  if (file < 0)
    return fail(ErrorCode::device,
                name + ": cannot be created: " + std::strerror(errno) + "; try another TMPDIR");
  close(file);
  return TemporaryFile(std::move(name));
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace troupe::program
