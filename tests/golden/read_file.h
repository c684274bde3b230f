#pragma once
#include "troupe/api/result.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace troupe::golden {

/// The whole content of a file. Errors: not_found when it cannot be opened.
inline Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::not_found, path.string() + ": cannot be opened");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace troupe::golden
