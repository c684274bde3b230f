#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/format_spec.h"
#include "troupe/model/jinja/var.h"

#include <string>

namespace troupe::model::jinja {

/// A number with the type, sign, grouping and precision of a spec, without its width.
/// Pre: value is a number. Errors: invalid_argument for a type letter that does not fit.
Result<std::string> number_text(const Var& value, const FormatSpec& spec);

}  // namespace troupe::model::jinja
