#include "npy_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace troupe::program {
namespace {

/// Version 1.0 of the format: magic, version, length of the header, and the header, a Python
/// dictionary that ends in a line break and makes the data begin at a multiple of 64 bytes.
std::string header(std::size_t rows, std::size_t columns) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) +
                     ", " + std::to_string(columns) + "), }";
  constexpr std::size_t kPrefix = 10;
  while ((kPrefix + text.size() + 1) % 64 != 0)
    text += ' ';
  text += '\n';
  std::string prefix = "\x93NUMPY";
  prefix += '\1';
  prefix += '\0';
  prefix += static_cast<char>(text.size() & 0xff);
  prefix += static_cast<char>(text.size() >> 8);
  return prefix + text;
}

}  // namespace

NpyFile::NpyFile(std::string path) : path_(std::move(path)), written_(path_) {
  std::error_code error;
  if (!std::filesystem::exists(path_, error) || std::filesystem::is_regular_file(path_, error))
    written_ += ".part";
}

Error NpyFile::failure(const char* what) const {
  return Error(ErrorCode::device, path_ + ": " + what + ": " + std::strerror(errno));
}

Result<std::unique_ptr<NpyFile>> NpyFile::create(const std::string& path, std::size_t rows,
                                                 std::size_t columns) {
  std::unique_ptr<NpyFile> npy(new NpyFile(path));
  npy->file_ = std::fopen(npy->written_.c_str(), "wb");
  if (!npy->file_) return fail(npy->failure("cannot be created"));
  const auto text = header(rows, columns);
  npy->failed_ = std::fwrite(text.data(), 1, text.size(), npy->file_) != text.size();
  return npy;
}

NpyFile::~NpyFile() {
  if (!file_) return;
  std::fclose(file_);
  if (written_ != path_) std::remove(written_.c_str());
}

void NpyFile::write(std::span<const float> row) {
  if (std::fwrite(row.data(), sizeof(float), row.size(), file_) != row.size()) failed_ = true;
}

Result<void> NpyFile::finish() {
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  const bool whole = closed && !failed_;
  if (whole && (written_ == path_ || std::rename(written_.c_str(), path_.c_str()) == 0)) return {};
  auto error = failure("cannot be written");
  if (written_ != path_) std::remove(written_.c_str());
  return fail(std::move(error));
}

}  // namespace troupe::program
