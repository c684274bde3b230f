#pragma once
#include <memory>
#include <optional>
#include <string>

namespace troupe::program {

/// Reads lines from standard input. On a terminal with editing and a history (arrow keys, Ctrl-R);
/// Ctrl-C gives up the line and Ctrl-D on an empty one ends. Otherwise line by line as they come.
class LineEditor {
 public:
  /// `prompt` is shown on a terminal only.
  static std::unique_ptr<LineEditor> open(const std::string& prompt);
  virtual ~LineEditor() = default;

  /// The next line without its end; nullopt at the end of the input.
  virtual std::optional<std::string> next() = 0;
};

}  // namespace troupe::program
