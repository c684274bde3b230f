#include "troupe/model/jinja/render.h"

#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/statements.h"
#include "troupe/model/jinja/try.h"

#include <utility>

namespace troupe::model::jinja {

tl::unexpected<Error> fault(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

Render::Render(const Template& source, const Limits& limits, std::chrono::local_seconds now)
    : template_(source),
      limits_(limits),
      now_(now),
      heap_(limits),
      globals_(source.names().size()) {}

void Render::define(const std::string& name, Var value) {
  const Symbol symbol = template_.find_name(name);
  if (symbol >= 0) globals_[static_cast<std::size_t>(symbol)] = std::move(value);
}

Result<Text> Render::run() {
  Text out;
  JINJA_TRY(scope, heap_.enter(nullptr));
  Frame frame{*this, scope, &out};
  JINJA_CHECK(execute(template_.body(), frame));
  return out;
}

Result<void> Render::spend(std::size_t steps) {
  steps_ += steps;
  if (steps_ <= limits_.steps) return {};
  return fault("the chat template did not end within " + std::to_string(limits_.steps) + " steps");
}

Result<void> Render::enter() {
  if (depth_ >= limits_.depth)
    return fault("the chat template is nested deeper than " + std::to_string(limits_.depth) +
                 " levels: does a macro call itself without end?");
  JINJA_CHECK(spend(1));
  ++depth_;
  return {};
}

Result<Var> Render::evaluate(const Expression& expression, Frame& frame) {
  JINJA_CHECK(enter());
  auto value = expression.evaluate(frame);
  leave();
  return value;
}

Result<Flow> Render::execute(const Block& block, Frame& frame) {
  for (const Statement* statement : block) {
    if (auto entered = enter(); !entered) return place(entered.error(), statement->at);
    auto flow = statement->execute(frame);
    leave();
    if (!flow) return place(flow.error(), statement->at);
    if (*flow != Flow::next) return flow;
  }
  return Flow::next;
}

Result<Var> Render::look_up(Symbol symbol, const Scope* scope) {
  for (; scope; scope = scope->parent) {
    JINJA_CHECK(spend(scope->entries.size() / 16));
    if (const Var* found = scope->find_here(symbol)) return *found;
  }
  const auto index = static_cast<std::size_t>(symbol);
  if (!globals_[index].is_absent()) return globals_[index];
  const auto& name = template_.names()[index];
  const Builtin* builtin = find_function(name);
  if (!builtin) return Var::undefined("'" + name + "' is undefined");
  Callable function;
  function.name = name;
  function.builtin = builtin;
  JINJA_TRY(value, heap_.callable(std::move(function)));
  globals_[index] = value;
  return value;
}

Result<Var> Render::call(const Var& callee, Call& call) {
  if (callee.is_undefined()) return fault(callee.why_undefined());
  if (callee.is(Var::Kind::loop)) return call_loop(callee.as_loop(), call);
  if (!callee.is(Var::Kind::callable))
    return fault("'" + std::string(type_name(callee)) + "' object is not callable");
  const Callable& callable = callee.as_callable();
  if (callable.macro) return call_macro(callable, call);
  call.self = callable.self;
  JINJA_CHECK(bind(*callable.builtin, call));
  return callable.builtin->function(call);
}

Result<Var> Render::call_macro(const Callable& macro, Call& call) {
  JINJA_TRY(scope, heap_.enter(macro.scope));
  Text out;
  Frame frame{*this, scope, &out};
  JINJA_CHECK(bind_macro(*macro.macro, call, frame));
  JINJA_CHECK(execute(macro.macro->body, frame));
  heap_.leave(scope);
  return heap_.text(std::move(out));
}

tl::unexpected<Error> Render::raise(std::string message) {
  placed_ = true;
  return fault(std::move(message));
}

tl::unexpected<Error> Render::place(const Error& error, std::size_t at) {
  if (std::exchange(placed_, true)) return fail(error);
  return fail_at("line " + std::to_string(template_.source().position(at).line), error);
}

}  // namespace troupe::model::jinja
