#pragma once
#include <cstdint>
#include <string>

namespace troupe::pipeline {

/// Where in the user's input something was written.
struct SourceLocation {
  /// The file; for values from elsewhere what gave them: "--set", "--model", "TROUPE_SET".
  std::string file;
  std::uint32_t line = 0;    // from 1; 0 = the source has no lines
  std::uint32_t column = 0;  // from 1, in characters

  /// "chat.toml:12:3", or only the source when it has no lines.
  std::string text() const {
    if (line == 0) return file;
    return file + ":" + std::to_string(line) + ":" + std::to_string(column);
  }
  bool operator==(const SourceLocation&) const = default;
};

}  // namespace troupe::pipeline
