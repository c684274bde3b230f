#include "troupe/model/jinja/statements.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <string>
#include <utility>

namespace troupe::model::jinja {
namespace {

/// Takes the keyword argument `name` out of a call; absent when it was not given.
Var take_keyword(Call& call, std::string_view name) {
  const auto found = std::find_if(call.keywords.begin(), call.keywords.end(),
                                  [name](const auto& keyword) { return keyword.first == name; });
  if (found == call.keywords.end()) return Var();
  Var value = std::move(found->second);
  call.keywords.erase(found);
  return value;
}

Result<Var> argument(const MacroDefinition& macro, std::size_t index, Call& call, Frame& frame) {
  const auto& parameter = macro.parameters[index];
  Var named = take_keyword(call, parameter.name);
  if (index < call.args.size()) {
    if (!named.is_absent())
      return fault("macro '" + macro.name + "' got two values for the argument '" + parameter.name +
                   "'");
    return call.args[index];
  }
  if (!named.is_absent()) return named;
  if (parameter.fallback) return frame.render.evaluate(*parameter.fallback, frame);
  return Var::undefined("parameter '" + parameter.name + "' was not provided");
}

Result<void> bind_more_arguments(const MacroDefinition& macro, Call& call, Frame& frame) {
  const auto taken = std::min(macro.parameters.size(), call.args.size());
  if (macro.varargs >= 0) {
    std::vector<Var> more(call.args.begin() + static_cast<std::ptrdiff_t>(taken), call.args.end());
    JINJA_TRY(list, frame.render.heap().sequence(std::move(more), SequenceKind::tuple));
    frame.scope->set(macro.varargs, list);
  } else if (call.args.size() > taken) {
    return fault("macro '" + macro.name + "' takes not more than " +
                 std::to_string(macro.parameters.size()) + " argument(s)");
  }
  return {};
}

Result<void> bind_more_keywords(const MacroDefinition& macro, Call& call, Frame& frame) {
  if (macro.kwargs < 0) {
    if (call.keywords.empty()) return {};
    return fault("macro '" + macro.name + "' takes no keyword argument '" +
                 call.keywords.front().first + "'");
  }
  std::vector<Mapping::Entry> entries;
  for (auto& [name, value] : call.keywords) {
    JINJA_TRY(key, frame.render.heap().text(name, true));
    entries.emplace_back(std::move(key), std::move(value));
  }
  JINJA_TRY(mapping, frame.render.heap().mapping(std::move(entries)));
  frame.scope->set(macro.kwargs, mapping);
  return {};
}

}  // namespace

Result<void> bind_macro(const MacroDefinition& macro, Call& call, Frame& frame) {
  const auto parameters = macro.parameters.size();
  // Names are looked up in short lists, one after the other.
  JINJA_CHECK(frame.render.spend(call.args.size() + call.keywords.size() +
                                 parameters * (parameters + call.keywords.size()) / 16));
  if (macro.caller >= 0) {
    Var caller = take_keyword(call, "caller");
    frame.scope->set(macro.caller,
                     caller.is_absent() ? Var::undefined("No caller defined") : caller);
  }
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    JINJA_TRY(value, argument(macro, i, call, frame));
    frame.scope->set(macro.parameters[i].symbol, value);
  }
  JINJA_CHECK(bind_more_arguments(macro, call, frame));
  return bind_more_keywords(macro, call, frame);
}

Result<Var> MacroStatement::close(const MacroDefinition& macro, Frame& frame) {
  for (Scope* scope = frame.scope; scope; scope = scope->parent)
    scope->remembered = true;
  Callable callable;
  callable.name = macro.name;
  callable.macro = &macro;
  callable.scope = frame.scope;
  return frame.render.heap().callable(std::move(callable));
}

Result<Flow> MacroStatement::execute(Frame& frame) const {
  JINJA_TRY(value, close(macro, frame));
  frame.scope->set(symbol, value);
  return Flow::next;
}

Result<Flow> CallStatement::execute(Frame& frame) const {
  JINJA_TRY(body, MacroStatement::close(caller, frame));
  JINJA_TRY(value, call->call_with(frame, body));
  JINJA_CHECK(append_str(frame.render, *frame.out, value));
  return Flow::next;
}

}  // namespace troupe::model::jinja
