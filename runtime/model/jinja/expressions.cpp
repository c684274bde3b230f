#include "troupe/model/jinja/expressions.h"

#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

namespace troupe::model::jinja {

Result<Var> NameExpression::evaluate(Frame& frame) const {
  return frame.render.look_up(symbol, frame.scope);
}

Result<Var> ListExpression::evaluate(Frame& frame) const {
  std::vector<Var> values;
  values.reserve(items.size());
  for (const Expression* expression : items) {
    JINJA_TRY(value, frame.render.evaluate(*expression, frame));
    values.push_back(std::move(value));
  }
  return frame.render.heap().sequence(std::move(values), kind);
}

Result<Var> DictExpression::evaluate(Frame& frame) const {
  Mapping mapping;
  for (const auto& [key_expression, value_expression] : entries) {
    JINJA_TRY(key, frame.render.evaluate(*key_expression, frame));
    JINJA_TRY(value, frame.render.evaluate(*value_expression, frame));
    if (key.is_sequence() || key.is_mapping())
      return fault("unhashable type: '" + std::string(type_name(key)) + "' as the key of a dict");
    JINJA_CHECK(frame.render.spend(mapping.entries.size() / 16));
    mapping.set(std::move(key), std::move(value));
  }
  return frame.render.heap().mapping(std::move(mapping.entries));
}

Result<Var> AttributeExpression::evaluate(Frame& frame) const {
  JINJA_TRY(value, frame.render.evaluate(*object, frame));
  return attribute(frame.render, value, name);
}

Result<Var> ItemExpression::evaluate(Frame& frame) const {
  JINJA_TRY(value, frame.render.evaluate(*object, frame));
  JINJA_TRY(index, frame.render.evaluate(*key, frame));
  return item(frame.render, value, index);
}

Result<Var> SliceExpression::evaluate(Frame& frame) const {
  JINJA_TRY(value, frame.render.evaluate(*object, frame));
  Var values[3];
  for (int i = 0; i < 3; ++i) {
    if (!bounds[i]) continue;
    JINJA_TRY(bound, frame.render.evaluate(*bounds[i], frame));
    values[i] = std::move(bound);
  }
  return slice(frame.render, value, values[0], values[1], values[2]);
}

Result<Var> NegateExpression::evaluate(Frame& frame) const {
  JINJA_TRY(value, frame.render.evaluate(*operand, frame));
  return negate(value);
}

Result<Var> NotExpression::evaluate(Frame& frame) const {
  JINJA_TRY(value, frame.render.evaluate(*operand, frame));
  return Var::boolean(!is_true(value), true);
}

Result<Var> BinaryExpression::evaluate(Frame& frame) const {
  JINJA_TRY(left_value, frame.render.evaluate(*left, frame));
  JINJA_TRY(right_value, frame.render.evaluate(*right, frame));
  return jinja::apply(frame.render, op, left_value, right_value);
}

Result<Var> LogicExpression::evaluate(Frame& frame) const {
  JINJA_TRY(value, frame.render.evaluate(*left, frame));
  if (is_true(value) != is_and) return value;
  return frame.render.evaluate(*right, frame);
}

Result<Var> ConcatExpression::evaluate(Frame& frame) const {
  Text joined;
  for (const Expression* part : parts) {
    JINJA_TRY(value, frame.render.evaluate(*part, frame));
    JINJA_CHECK(append_str(frame.render, joined, value));
  }
  return frame.render.heap().text(std::move(joined));
}

Result<Var> CompareExpression::evaluate(Frame& frame) const {
  JINJA_TRY(left, frame.render.evaluate(*first, frame));
  for (const auto& [op, expression] : rest) {
    JINJA_TRY(right, frame.render.evaluate(*expression, frame));
    JINJA_TRY(holds, compare(frame.render, op, left, right));
    if (!holds) return Var::boolean(false, true);
    left = std::move(right);
  }
  return Var::boolean(true, true);
}

Result<Var> ConditionalExpression::evaluate(Frame& frame) const {
  JINJA_TRY(decides, frame.render.evaluate(*condition, frame));
  if (is_true(decides)) return frame.render.evaluate(*then, frame);
  if (otherwise) return frame.render.evaluate(*otherwise, frame);
  return Var::undefined(
      "the inline if-expression evaluated to false and no else section was defined.");
}

}  // namespace troupe::model::jinja
