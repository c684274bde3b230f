#include "results_file.h"

#include "troupe/core/json.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>

namespace troupe::jsonl {
namespace {

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Opens the file and locks it against other runs.
Result<FileDescriptor> open_locked(const std::string& path) {
  for (;;) {
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    if (!file) return file_error(path, "cannot be opened for writing");
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return file_error(path, "cannot be locked");
      return fail(ErrorCode::resource_exhausted,
                  path +
                      ": another run writes its results there; wait for its end or give "
                      "another output file");
    }
    struct stat opened {
    }, named{};
    if (::fstat(file.get(), &opened) != 0) return file_error(path, "cannot be read");
    // Between open and lock the other run may have put a new file in its place.
    if (::stat(path.c_str(), &named) == 0 && same_file(opened, named)) return file;
  }
}

}  // namespace

Result<std::unique_ptr<ResultsFile>> ResultsFile::open(const std::string& path,
                                                       const std::string& input) {
  struct stat output {
  }, requests{};
  if (::stat(path.c_str(), &output) != 0) return open_regular(path);  // makes it
  if (S_ISDIR(output.st_mode))
    return fail(ErrorCode::invalid_argument, path + ": found a folder; expected a file of results");
  // A terminal can be both, anything else would read what it wrote.
  if (!S_ISCHR(output.st_mode) && ::stat(input.c_str(), &requests) == 0 &&
      same_file(output, requests))
    return fail(ErrorCode::invalid_argument,
                path + ": is the input as well; the results need a file of their own");
  return S_ISREG(output.st_mode) ? open_regular(path) : open_stream(path);
}

Result<std::unique_ptr<ResultsFile>> ResultsFile::open_stream(const std::string& path) {
  FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENXIO)
    return fail(ErrorCode::device, path + ": nobody reads from it; start its reader first");
  if (!file) return file_error(path, "cannot be opened for writing");
  return std::unique_ptr<ResultsFile>(new ResultsFile(path, std::move(file), {}));
}

Result<std::unique_ptr<ResultsFile>> ResultsFile::open_regular(const std::string& path) {
  auto file = open_locked(path);
  if (!file) return fail(file.error());
  auto earlier = read_earlier_results(*file, path);
  if (!earlier) return fail(earlier.error());
  if (!earlier->dropped.empty() || earlier->unfinished) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);  // a link stays a link
    if (error) return fail(ErrorCode::device, path + ": cannot be found again: " + error.message());
    file = drop_lines(*file, real.string(), *earlier);
    if (!file) return fail(file.error());
  }
  return std::unique_ptr<ResultsFile>(
      new ResultsFile(path, std::move(*file), std::move(earlier->done)));
}

void ResultsFile::append(const Value& result) {
  pending_ += to_json(result);
  pending_ += '\n';
}

Result<bool> ResultsFile::flush() {
  while (pending()) {
    const auto count = ::write(file_.get(), pending_.data() + written_, pending_.size() - written_);
    if (count > 0) written_ += static_cast<std::size_t>(count);
    if (count >= 0 || errno == EINTR) continue;
    if (errno == EAGAIN) return false;
    return file_error(path_, "cannot be written");
  }
  pending_.clear();
  written_ = 0;
  return true;
}

}  // namespace troupe::jsonl
