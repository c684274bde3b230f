#include "troupe/model/jinja/arithmetic.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace troupe::model::jinja {
namespace {

tl::unexpected<Error> overflow() {
  return fault("integer overflow: this template engine calculates with 64 bits");
}

std::optional<std::int64_t> integer_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) return std::nullopt;
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return std::nullopt;
  }
  return result;
}

/// Division that rounds down and its remainder, which has the sign of the divisor.
std::int64_t floor_divide(std::int64_t left, std::int64_t right) {
  const auto quotient = left / right;
  return quotient - (left % right != 0 && (left < 0) != (right < 0));
}

std::int64_t floor_modulo(std::int64_t left, std::int64_t right) {
  if (right == -1) return 0;
  const auto rest = left % right;
  return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

double real_modulo(double left, double right) {
  const double rest = std::fmod(left, right);
  return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

Result<Var> integers(BinaryOperator op, std::int64_t left, std::int64_t right, bool trusted) {
  std::int64_t result = 0;
  switch (op) {
    case BinaryOperator::add:
      if (__builtin_add_overflow(left, right, &result)) return overflow();
      break;
    case BinaryOperator::subtract:
      if (__builtin_sub_overflow(left, right, &result)) return overflow();
      break;
    case BinaryOperator::multiply:
      if (__builtin_mul_overflow(left, right, &result)) return overflow();
      break;
    case BinaryOperator::floor_divide:
      if (left == std::numeric_limits<std::int64_t>::min() && right == -1) return overflow();
      result = floor_divide(left, right);
      break;
    case BinaryOperator::modulo:
      result = floor_modulo(left, right);
      break;
    case BinaryOperator::power: {
      const auto power = integer_power(left, right);
      if (!power) return overflow();
      result = *power;
      break;
    }
    case BinaryOperator::divide:
      break;
  }
  return Var::integer(result, trusted);
}

Result<Var> reals(BinaryOperator op, double left, double right, bool trusted) {
  double result = 0;
  switch (op) {
    case BinaryOperator::add:
      result = left + right;
      break;
    case BinaryOperator::subtract:
      result = left - right;
      break;
    case BinaryOperator::multiply:
      result = left * right;
      break;
    case BinaryOperator::divide:
      result = left / right;
      break;
    case BinaryOperator::floor_divide:
      result = std::floor(left / right);
      break;
    case BinaryOperator::modulo:
      result = real_modulo(left, right);
      break;
    case BinaryOperator::power:
      result = std::pow(left, right);
      break;
  }
  return Var::real(result, trusted);
}

bool divides(BinaryOperator op) {
  return op == BinaryOperator::divide || op == BinaryOperator::floor_divide ||
         op == BinaryOperator::modulo;
}

}  // namespace

Result<Var> calculate(BinaryOperator op, const Var& left, const Var& right) {
  const bool trusted = left.trusted() && right.trusted();
  if (divides(op) && right.as_real() == 0) return fault("division by zero");
  const bool whole = left.is_integer() && right.is_integer() && op != BinaryOperator::divide;
  if (whole && (op != BinaryOperator::power || right.as_integer() >= 0))
    return integers(op, left.as_integer(), right.as_integer(), trusted);
  if (op == BinaryOperator::power && left.as_real() == 0 && right.as_real() < 0)
    return fault("0.0 cannot be raised to a negative power");
  return reals(op, left.as_real(), right.as_real(), trusted);
}

}  // namespace troupe::model::jinja
