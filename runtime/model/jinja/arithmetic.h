#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/operators.h"

namespace troupe::model::jinja {

/// Python's arithmetic on two numbers. Pre: both are numbers.
/// Errors: invalid_argument for division by zero and for results beyond 64 bits.
Result<Var> calculate(BinaryOperator op, const Var& left, const Var& right);

}  // namespace troupe::model::jinja
