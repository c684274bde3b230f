#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <sys/types.h>

namespace troupe::transformer {

/// The system calls that move data, as pwrite and pread, so that tests can make them fail.
struct FileCalls {
  std::function<ssize_t(int, const void*, std::size_t, off_t)> write;
  std::function<ssize_t(int, void*, std::size_t, off_t)> read;

  static FileCalls of_the_system();
};

/// A file without a name, for this process alone: its content is gone when the process is, however
/// that ends. It grows as it is written. One thread at a time.
class SwapFile {
 public:
  SwapFile() = default;
  SwapFile(SwapFile&& other) noexcept;
  SwapFile& operator=(SwapFile&& other) noexcept;
  ~SwapFile();

  /// A file in `folder`, readable and writable by its owner only.
  /// Errors: not_found, device; they name the folder.
  static Result<SwapFile> create(const std::string& folder,
                                 FileCalls calls = FileCalls::of_the_system());

  /// Writes all of `bytes`. Errors: resource_exhausted (no room on the disk or in a quota), device.
  Result<void> write(std::int64_t offset, std::span<const std::byte> bytes);
  /// Fills `bytes`. Errors: device, also when the file ends before they are read.
  Result<void> read(std::int64_t offset, std::span<std::byte> bytes);

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  FileCalls calls_;
};

}  // namespace troupe::transformer
