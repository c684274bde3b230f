#include "troupe/model/jinja/operators.h"

#include "troupe/model/jinja/arithmetic.h"
#include "troupe/model/jinja/escape.h"
#include "troupe/model/jinja/percent_format.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

std::string_view symbol_of(BinaryOperator op) {
  constexpr std::array<std::string_view, 7> kSymbols = {"+",  "-", "*",          "/",
                                                        "//", "%", "** or pow()"};
  return kSymbols[static_cast<std::size_t>(op)];
}

tl::unexpected<Error> unfit(BinaryOperator op, const Var& left, const Var& right) {
  if (op == BinaryOperator::add && left.is_string())
    return fault("can only concatenate str (not \"" + std::string(type_name(right)) + "\") to str");
  return fault("unsupported operand type(s) for " + std::string(symbol_of(op)) + ": '" +
               std::string(type_name(left)) + "' and '" + std::string(type_name(right)) + "'");
}

bool is_list(const Var& value) {
  return value.is_sequence() && value.as_sequence().kind <= SequenceKind::tuple;
}

bool same_list_kind(const Var& left, const Var& right) {
  return is_list(left) && is_list(right) && left.as_sequence().kind == right.as_sequence().kind;
}

Result<Var> join_lists(Render& render, const Var& left, const Var& right) {
  std::vector<Var> items = left.as_sequence().items;
  const auto& more = right.as_sequence().items;
  JINJA_CHECK(render.spend((items.size() + more.size()) / 4));
  items.insert(items.end(), more.begin(), more.end());
  return render.heap().sequence(std::move(items), left.as_sequence().kind);
}

Result<Var> repeat_text(Render& render, const Text& text, std::size_t count) {
  JINJA_CHECK(render.heap().check_text(text.empty()                     ? 0
                                       : count > SIZE_MAX / text.size() ? SIZE_MAX
                                                                        : count * text.size()));
  if (text.empty()) count = 0;
  JINJA_CHECK(render.spend(count + text.size() * count / 64));
  Text repeated;
  for (; count > 0; --count)
    repeated.append(text);
  return render.heap().text(std::move(repeated));
}

Result<Var> repeat_list(Render& render, const Sequence& list, std::size_t count) {
  if (list.items.empty()) count = 0;
  const std::size_t size = list.items.size();
  if (count > 0 && count > SIZE_MAX / (size * sizeof(Var)))
    return render.heap().check_memory(SIZE_MAX / 2).map([] { return Var(); });
  JINJA_CHECK(render.heap().check_memory(count * size * sizeof(Var)));
  JINJA_CHECK(render.spend(count * size / 4 + count));
  std::vector<Var> items;
  for (; count > 0; --count)
    items.insert(items.end(), list.items.begin(), list.items.end());
  return render.heap().sequence(std::move(items), list.kind);
}

bool repeatable(const Var& value, const Var& count) {
  return (value.is_string() || is_list(value)) && count.is_integer();
}

}  // namespace

Result<Var> join_strings(Render& render, const Var& left, const Var& right) {
  const bool markup = left.is_markup() || right.is_markup();
  Text joined;
  for (const Var* part : {&left, &right}) {
    JINJA_CHECK(render.heap().check_text(joined.size() + part->as_text().size()));
    JINJA_CHECK(render.spend_bytes(part->as_text().size()));
    joined.append(markup && !part->is_markup() ? escape_html(part->as_text()) : part->as_text());
  }
  return render.heap().text(std::move(joined), markup);
}

Result<Var> repeat(Render& render, const Var& value, std::int64_t count) {
  const auto times = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  if (value.is_string()) return repeat_text(render, value.as_text(), times);
  return repeat_list(render, value.as_sequence(), times);
}

Result<Var> apply(Render& render, BinaryOperator op, const Var& left, const Var& right) {
  if (op == BinaryOperator::modulo && left.is_string()) return percent_format(render, left, right);
  if (left.is_undefined()) return fault(left.why_undefined());
  if (right.is_undefined()) return fault(right.why_undefined());
  if (left.is_number() && right.is_number()) return calculate(op, left, right);
  if (op == BinaryOperator::add && left.is_string() && right.is_string())
    return join_strings(render, left, right);
  if (op == BinaryOperator::add && same_list_kind(left, right))
    return join_lists(render, left, right);
  if (op == BinaryOperator::multiply && repeatable(left, right))
    return repeat(render, left, right.as_integer());
  if (op == BinaryOperator::multiply && repeatable(right, left))
    return repeat(render, right, left.as_integer());
  return unfit(op, left, right);
}

Result<Var> negate(const Var& value) {
  if (value.is_undefined()) return fault(value.why_undefined());
  if (!value.is_number())
    return fault("bad operand type for unary -: '" + std::string(type_name(value)) + "'");
  if (value.is_integer()) return calculate(BinaryOperator::subtract, Var::integer(0, true), value);
  return Var::real(-value.as_real(), value.trusted());
}

}  // namespace troupe::model::jinja
