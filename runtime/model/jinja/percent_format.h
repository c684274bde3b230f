#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/render.h"

namespace troupe::model::jinja {

/// Python's `format % values` for a format string. Pre: format is a string.
/// Errors: invalid_argument in Python's words.
Result<Var> percent_format(Render& render, const Var& format, const Var& values);

/// str.format: fields {}, {0}, {name}, {a.b[c]}, !r and !s, and format specs.
Result<Var> brace_format(Call& call);

}  // namespace troupe::model::jinja
