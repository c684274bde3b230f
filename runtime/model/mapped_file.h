#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace troupe::model {

/// A whole file mapped into memory, read-only; unmapped with the last owner. Any thread may read
/// it. As with every mapping, another program that shortens the file meanwhile makes reads fault.
class MappedFile {
 public:
  /// Errors: not_found (no such file), invalid_argument (a folder, a device, an empty file),
  /// device (the operating system refused to open or map it).
  static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace troupe::model
