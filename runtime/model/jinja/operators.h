#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/render.h"
#include "troupe/model/jinja/var.h"

#include <cstdint>

namespace troupe::model::jinja {

enum class BinaryOperator : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power
};
enum class CompareOperator : std::uint8_t {
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in
};

// All with Python's meaning on Python's types; integers are of 64 bits.
// Errors: invalid_argument in Python's words for unfit types, division by zero, and overflow.
Result<Var> apply(Render& render, BinaryOperator op, const Var& left, const Var& right);
Result<Var> negate(const Var& value);
Result<bool> compare(Render& render, CompareOperator op, const Var& left, const Var& right);
Result<bool> equal(Render& render, const Var& left, const Var& right);
/// Whether left < right.
Result<bool> less(Render& render, const Var& left, const Var& right);
/// Whether `needle in haystack`.
Result<bool> contains(Render& render, const Var& needle, const Var& haystack);

/// Concatenates two strings; with markup on either side the other one is escaped.
Result<Var> join_strings(Render& render, const Var& left, const Var& right);
/// `text` times `count`. Errors: the limits.
Result<Var> repeat(Render& render, const Var& value, std::int64_t count);

}  // namespace troupe::model::jinja
