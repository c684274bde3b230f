#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/statements.h"
#include "troupe/model/jinja/try.h"

#include <utility>

namespace troupe::model::jinja {

Result<std::vector<Var>> ForStatement::select(Frame& frame, std::vector<Var> items) const {
  std::vector<Var> kept;
  for (auto& value : items) {
    JINJA_TRY(scope, frame.render.heap().enter(frame.scope));
    Frame inner{frame.render, scope, frame.out};
    JINJA_CHECK(assign(inner, target, value));
    JINJA_TRY(decides, frame.render.evaluate(*filter, inner));
    if (is_true(decides)) kept.push_back(std::move(value));
    frame.render.heap().leave(scope);
  }
  return kept;
}

Result<void> ForStatement::run(Frame& frame, const Var& values, Scope* outer,
                               std::size_t depth) const {
  JINJA_TRY(items, items_of(frame.render, values));
  Frame around{frame.render, outer, frame.out};
  if (filter) {
    JINJA_TRY(kept, select(around, std::move(items)));
    items = std::move(kept);
  }
  JINJA_TRY(state, frame.render.heap().loop(std::move(items)));
  state->depth = depth;
  state->outer = outer;
  if (recursive) {
    state->recursive = this;
    for (Scope* scope = outer; scope; scope = scope->parent)
      scope->remembered = true;
  }
  for (; state->index < state->items.size(); ++state->index) {
    JINJA_CHECK(frame.render.spend(1));
    JINJA_TRY(scope, frame.render.heap().enter(outer));
    Frame inner{frame.render, scope, frame.out};
    scope->set(loop, Var::loop(state));
    JINJA_CHECK(assign(inner, target, state->items[state->index]));
    JINJA_TRY(flow, frame.render.execute(body, inner));
    frame.render.heap().leave(scope);
    if (flow == Flow::loop_break) break;
  }
  const bool empty = state->items.empty();
  frame.render.heap().end(*state);
  if (!empty) return {};
  return frame.render.execute(otherwise, around).map([](Flow) {});
}

Result<Flow> ForStatement::execute(Frame& frame) const {
  JINJA_TRY(values, frame.render.evaluate(*iterable, frame));
  JINJA_CHECK(run(frame, values, frame.scope, 1));
  return Flow::next;
}

Result<Var> call_loop(LoopState& loop, Call& call) {
  if (!loop.recursive)
    return fault("loop() can be called only in a loop marked {% for ... recursive %}");
  if (call.args.size() != 1 || !call.keywords.empty())
    return fault("loop() takes one argument, what to loop over");
  Text out;
  Frame frame{call.render, loop.outer, &out};
  JINJA_CHECK(call.render.enter_call());
  JINJA_CHECK(loop.recursive->run(frame, call.args[0], loop.outer, loop.depth + 1));
  call.render.leave_call();
  return call.render.heap().text(std::move(out));
}

}  // namespace troupe::model::jinja
