#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/operators.h"
#include "troupe/model/jinja/string_checks.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

#include <string>

namespace troupe::model::jinja {
namespace {

template <CompareOperator Op>
Result<Var> compares(Call& call) {
  JINJA_TRY(holds, compare(call.render, Op, call.self, call.args[0]));
  return Var::boolean(holds, true);
}

/// The remainder of the value divided by the first argument, or by two.
Result<std::int64_t> remainder(Call& call, std::int64_t otherwise) {
  JINJA_CHECK(require_defined(call.self));
  if (!call.self.is_number())
    return fault("unsupported operand type(s) for %: '" + std::string(type_name(call.self)) +
                 "' and 'int'");
  const Var divisor = call.given(0) ? call.args[0] : Var::integer(otherwise, true);
  JINJA_TRY(rest, apply(call.render, BinaryOperator::modulo, call.self, divisor));
  return is_true(rest) ? 1 : 0;
}

template <bool WantsZero>
Result<Var> divides(Call& call) {
  JINJA_TRY(rest, remainder(call, 2));
  return Var::boolean((rest == 0) == WantsZero, true);
}

Result<Var> same_as(Call& call) {
  const Var& other = call.args[0];
  if (call.self.kind() != other.kind()) return Var::boolean(false, true);
  if (call.self.is_sequence())
    return Var::boolean(&call.self.as_sequence() == &other.as_sequence(), true);
  if (call.self.is_mapping())
    return Var::boolean(&call.self.as_mapping() == &other.as_mapping(), true);
  JINJA_TRY(same, equal(call.render, call.self, other));
  return Var::boolean(same, true);
}

template <bool (*Holds)(std::string_view)>
Result<Var> text_is(Call& call) {
  JINJA_TRY(text, str(call.render, call.self));
  return Var::boolean(Holds(text.view()), true);
}

template <const Builtin* (*Find)(std::string_view)>
Result<Var> names(Call& call) {
  return Var::boolean(call.self.is_string() && Find(call.self.as_text().view()) != nullptr, true);
}

constexpr Builtin kTests[] = {
    {"eq", "other", &compares<CompareOperator::equal>},
    {"equalto", "other", &compares<CompareOperator::equal>},
    {"==", "other", &compares<CompareOperator::equal>},
    {"ne", "other", &compares<CompareOperator::not_equal>},
    {"!=", "other", &compares<CompareOperator::not_equal>},
    {"lt", "other", &compares<CompareOperator::less>},
    {"lessthan", "other", &compares<CompareOperator::less>},
    {"<", "other", &compares<CompareOperator::less>},
    {"le", "other", &compares<CompareOperator::less_equal>},
    {"<=", "other", &compares<CompareOperator::less_equal>},
    {"gt", "other", &compares<CompareOperator::greater>},
    {"greaterthan", "other", &compares<CompareOperator::greater>},
    {">", "other", &compares<CompareOperator::greater>},
    {"ge", "other", &compares<CompareOperator::greater_equal>},
    {">=", "other", &compares<CompareOperator::greater_equal>},
    {"in", "seq", &compares<CompareOperator::in>},
    {"sameas", "other", &same_as},
    {"divisibleby", "num", &divides<true>},
    {"even", "", &divides<true>},
    {"odd", "", &divides<false>},
    {"upper", "", &text_is<is_upper_text>},
    {"lower", "", &text_is<is_lower_text>},
    {"filter", "", &names<find_filter>},
    {"test", "", &names<find_test>},
};

}  // namespace

std::span<const Builtin> comparison_tests() {
  return kTests;
}

}  // namespace troupe::model::jinja
