#pragma once
#include "troupe/api/params.h"
#include "troupe/api/result.h"

#include <span>

namespace troupe {

/// The default of a parameter as a value. Pre: it has one (`default_value` is not empty).
/// Errors: invalid_argument, when the text is no value.
Result<Value> parse_default(const ParamSpec& spec);

/// Whether `value` is of the declared type and within the declared range or choices; an integer
/// counts as a number too. Errors: invalid_argument, with what was found and what is allowed.
Result<void> check_param(const ParamSpec& spec, const Value& value);

/// The parameters of an operator that is set up without a pipeline: `given`, checked, and the
/// defaults of all others, in the order of the table.
/// Errors: invalid_argument (an unknown name, with the nearest known; a value that check_param
/// refuses; a required parameter that is absent).
Result<Params> complete_params(std::span<const ParamSpec> specs, const Value::Object& given);

}  // namespace troupe
