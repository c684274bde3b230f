#pragma once
#include "troupe/api/result.h"

#include <string>
#include <utility>

namespace troupe::program {

/// A file in the folder for temporary files that is removed with this object.
class TemporaryFile {
 public:
  /// Errors: device (it cannot be created).
  static Result<TemporaryFile> create(const std::string& prefix);
  TemporaryFile(TemporaryFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace troupe::program
