#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/render.h"
#include "troupe/model/jinja/var.h"

#include <string>

namespace troupe::model::jinja {

/// Python's repr of a float: the shortest decimal that reads back as the same number.
std::string real_repr(double value);

/// Appends Python's str(value). Marks of strings are kept; what Python adds around them is
/// untrusted. Errors: invalid_argument when nested deeper than 100 levels or over the limits.
Result<void> append_str(Render& render, Text& out, const Var& value);
/// Appends Python's repr(value).
Result<void> append_repr(Render& render, Text& out, const Var& value, int depth = 0);
/// Python's str(value) as a text.
Result<Text> str(Render& render, const Var& value);
/// The same as a variable; a string stays the same one, `safe` or not.
Result<Var> str_var(Render& render, const Var& value);

}  // namespace troupe::model::jinja
