#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/expressions.h"
#include "troupe/model/jinja/try.h"

#include <string>
#include <utility>

namespace troupe::model::jinja {
namespace {

Result<void> unpack_list(Frame& frame, const Expression& expression, Call& call) {
  JINJA_TRY(list, frame.render.evaluate(expression, frame));
  JINJA_TRY(items, items_of(frame.render, list));
  for (auto& value : items)
    call.args.push_back(std::move(value));
  return {};
}

Result<void> unpack_mapping(Frame& frame, const Expression& expression, Call& call) {
  JINJA_TRY(value, frame.render.evaluate(expression, frame));
  if (!value.is_mapping())
    return fault("argument after ** must be a mapping, not " + std::string(type_name(value)));
  for (const auto& [key, item] : value.as_mapping().entries) {
    if (!key.is_string()) return fault("keywords must be strings");
    call.keywords.emplace_back(key.as_text().bytes(), item);
  }
  return frame.render.spend(call.keywords.size());
}

Result<void> fill(Frame& frame, const Arguments& arguments, Call& call) {
  for (const Expression* expression : arguments.positional) {
    JINJA_TRY(value, frame.render.evaluate(*expression, frame));
    call.args.push_back(std::move(value));
  }
  if (arguments.unpacked_list) {
    JINJA_CHECK(unpack_list(frame, *arguments.unpacked_list, call));
  }
  for (const auto& [name, expression] : arguments.keywords) {
    JINJA_TRY(value, frame.render.evaluate(*expression, frame));
    call.keywords.emplace_back(name, std::move(value));
  }
  if (arguments.unpacked_mapping) return unpack_mapping(frame, *arguments.unpacked_mapping, call);
  return {};
}

Result<Var> run_builtin(Frame& frame, const Builtin& builtin, const Arguments& arguments,
                        Var self) {
  Call call{frame.render, std::move(self), {}, {}};
  JINJA_CHECK(fill(frame, arguments, call));
  JINJA_CHECK(bind(builtin, call));
  return builtin.function(call);
}

}  // namespace

Result<Var> CallExpression::evaluate(Frame& frame) const {
  return call_with(frame, Var());
}

Result<Var> CallExpression::call_with(Frame& frame, Var caller) const {
  JINJA_TRY(function, frame.render.evaluate(*callee, frame));
  Call call{frame.render, Var(), {}, {}};
  JINJA_CHECK(fill(frame, arguments, call));
  if (!caller.is_absent()) call.keywords.emplace_back("caller", std::move(caller));
  return frame.render.call(function, call);
}

Result<Var> FilterExpression::evaluate(Frame& frame) const {
  JINJA_TRY(value, frame.render.evaluate(*input, frame));
  return apply(frame, std::move(value));
}

Result<Var> FilterExpression::apply(Frame& frame, Var value) const {
  if (!builtin) return fault("No filter named '" + name + "'.");
  return run_builtin(frame, *builtin, arguments, std::move(value));
}

Result<Var> TestExpression::evaluate(Frame& frame) const {
  if (!builtin) return fault("No test named '" + name + "'.");
  JINJA_TRY(value, frame.render.evaluate(*input, frame));
  JINJA_TRY(holds, run_builtin(frame, *builtin, arguments, std::move(value)));
  return Var::boolean(is_true(holds) != negated, true);
}

}  // namespace troupe::model::jinja
