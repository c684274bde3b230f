#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/callable.h"
#include "troupe/model/jinja/render.h"

#include <cstdint>

namespace troupe::model::jinja {

// The i-th argument of a bound call as a type; `otherwise` when it was not given (or is none).
// Errors: invalid_argument, naming the type found, for a value of another type.
Result<std::int64_t> integer_argument(const Call& call, std::size_t i, std::int64_t otherwise);
Result<Text> text_argument(const Call& call, std::size_t i, const Text& otherwise = {});
bool flag_argument(const Call& call, std::size_t i, bool otherwise);
/// The value a string method works on. Pre: it is a string.
const Text& self_text(const Call& call);
/// Fails when a value is undefined, with its reason.
Result<void> require_defined(const Var& value);

}  // namespace troupe::model::jinja
