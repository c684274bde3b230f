#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::model::jinja {

/// A place in a template's source, both from 1; columns count characters.
struct Position {
  int line = 1;
  int column = 1;
};

/// A template's source as Jinja reads it: every line ends in \n, and one newline at the end is
/// dropped.
class SourceText {
 public:
  explicit SourceText(std::string_view source);

  std::string_view text() const { return text_; }
  Position position(std::size_t offset) const;
  /// The error for a fault at that place of the source: "3:14: ...".
  tl::unexpected<Error> error(std::size_t offset, std::string message) const;

 private:
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace troupe::model::jinja
