#pragma once
#include "troupe/api/result.h"
#include "troupe/api/value.h"

#include <string>
#include <string_view>

namespace troupe {

/// Parses one JSON text. Integers that fit 64 bits signed stay integers, other numbers become
/// doubles. Errors: invalid_argument with line and column, also for nesting deeper than 64 levels,
/// a key that an object has twice, and invalid UTF-8.
Result<Value> parse_json(std::string_view text);

/// Writes compact JSON, keys in their order. Strings that are no valid UTF-8 get U+FFFD for each
/// offending byte; NaN and infinities, which JSON lacks, become null.
std::string to_json(const Value& value);

}  // namespace troupe
