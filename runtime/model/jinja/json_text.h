#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/render.h"

#include <cstddef>
#include <optional>

namespace troupe::model::jinja {

/// How tojson writes; the defaults are those of transformers.
struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  /// One item a line, indented by this for each level.
  std::optional<Text> indent;
  Text item_separator{", ", false};
  Text key_separator{": ", false};
};

/// The value as Python's json.dumps writes it. Marks of strings are kept, escapes have the mark of
/// the character they stand for, and all else is untrusted. Errors: invalid_argument for what JSON
/// lacks, nesting deeper than 100 levels, and the limits.
Result<Text> json_text(Render& render, const Var& value, const JsonStyle& style);

}  // namespace troupe::model::jinja
