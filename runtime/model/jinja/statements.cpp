#include "troupe/model/jinja/statements.h"

#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

namespace troupe::model::jinja {
namespace {

Result<void> unpack(Frame& frame, const Target& target, const Var& value) {
  JINJA_TRY(items, items_of(frame.render, value));
  const auto wanted = target.parts.size();
  if (items.size() != wanted)
    return fault((items.size() < wanted ? "not enough values to unpack (expected "
                                        : "too many values to unpack (expected ") +
                 std::to_string(wanted) + ", got " + std::to_string(items.size()) + ")");
  for (std::size_t i = 0; i < wanted; ++i) {
    JINJA_CHECK(assign(frame, target.parts[i], items[i]));
  }
  return {};
}

}  // namespace

Result<void> assign(Frame& frame, const Target& target, const Var& value) {
  if (!target.parts.empty()) return unpack(frame, target, value);
  if (target.attribute.empty()) {
    JINJA_CHECK(frame.render.spend(frame.scope->entries.size() / 16));
    frame.scope->set(target.symbol, value);
    return {};
  }
  JINJA_TRY(object, frame.render.look_up(target.symbol, frame.scope));
  if (!object.is_mapping() || !object.as_mapping().is_namespace)
    return fault("cannot assign attribute on non-namespace object");
  JINJA_CHECK(frame.render.spend(object.as_mapping().entries.size() / 16));
  JINJA_TRY(key, frame.render.heap().text(target.attribute, true));
  return frame.render.heap().set(object.as_mapping(), std::move(key), value);
}

Result<Flow> DataStatement::execute(Frame& frame) const {
  JINJA_CHECK(frame.render.heap().check_text(frame.out->size() + data.size()));
  JINJA_CHECK(frame.render.spend_bytes(data.size()));
  frame.out->append(data, true);
  return Flow::next;
}

Result<Flow> OutputStatement::execute(Frame& frame) const {
  JINJA_TRY(value, frame.render.evaluate(*expression, frame));
  JINJA_CHECK(append_str(frame.render, *frame.out, value));
  return Flow::next;
}

Result<Flow> IfStatement::execute(Frame& frame) const {
  for (const auto& [condition, block] : branches) {
    JINJA_TRY(decides, frame.render.evaluate(*condition, frame));
    if (is_true(decides)) return frame.render.execute(block, frame);
  }
  return frame.render.execute(otherwise, frame);
}

Result<Flow> SetStatement::execute(Frame& frame) const {
  JINJA_TRY(assigned, frame.render.evaluate(*value, frame));
  JINJA_CHECK(assign(frame, target, assigned));
  return Flow::next;
}

Result<Flow> CaptureStatement::execute(Frame& frame) const {
  Text captured;
  JINJA_TRY(scope, frame.render.heap().enter(frame.scope));
  Frame inner{frame.render, scope, &captured};
  JINJA_TRY(flow, frame.render.execute(body, inner));
  JINJA_TRY(value, frame.render.heap().text(std::move(captured)));
  for (const FilterExpression* filter : filters) {
    JINJA_TRY(filtered, filter->apply(inner, value));
    value = filtered;
  }
  frame.render.heap().leave(scope);
  if (writes) {
    JINJA_CHECK(append_str(frame.render, *frame.out, value));
  } else {
    JINJA_CHECK(assign(frame, target, value));
  }
  return flow;
}

Result<Flow> WithStatement::execute(Frame& frame) const {
  JINJA_TRY(scope, frame.render.heap().enter(frame.scope));
  Frame inner{frame.render, scope, frame.out};
  for (const auto& [name, expression] : variables) {
    JINJA_TRY(value, frame.render.evaluate(*expression, frame));
    JINJA_CHECK(assign(inner, name, value));
  }
  JINJA_TRY(flow, frame.render.execute(body, inner));
  frame.render.heap().leave(scope);
  return flow;
}

}  // namespace troupe::model::jinja
