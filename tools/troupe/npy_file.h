#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

namespace troupe::program {

/// A matrix of float32 written row by row as NumPy's .npy file, so that it never has to fit into
/// memory. A file appears under its name when it is complete; what is no plain file (a pipe) is
/// written as it is.
class NpyFile {
 public:
  /// Errors: device (it cannot be created).
  static Result<std::unique_ptr<NpyFile>> create(const std::string& path, std::size_t rows,
                                                 std::size_t columns);
  /// Removes what is not complete.
  ~NpyFile();

  /// Pre: `row` has as many values as there are columns.
  void write(std::span<const float> row);
  /// Gives the file its name. Errors: device (something could not be written).
  Result<void> finish();

 private:
  explicit NpyFile(std::string path);
  Error failure(const char* what) const;

  std::string path_;
  std::string written_;  // the name until it is complete
  std::FILE* file_ = nullptr;
  bool failed_ = false;
};

}  // namespace troupe::program
