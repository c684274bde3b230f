#pragma once
#include "troupe/api/result.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace troupe::jsonl {

/// An open file of the system, closed with its owner; -1 = none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// The failure of the last call to the system on `path`, with the system's reason.
inline tl::unexpected<Error> file_error(const std::string& path, std::string_view what) {
  const std::string reason = std::strerror(errno);
  return fail(ErrorCode::device, path + ": " + std::string(what) + ": " + reason);
}

}  // namespace troupe::jsonl
