#pragma once
#include "troupe/model/jinja/ast.h"
#include "troupe/model/jinja/callable.h"
#include "troupe/model/jinja/expressions.h"

#include <string>
#include <utility>
#include <vector>

namespace troupe::model::jinja {

/// What a value is assigned to: a name, the attribute of a namespace, or several of these.
struct Target {
  Symbol symbol = -1;
  std::string attribute;      // not empty: of the namespace `symbol`
  std::vector<Target> parts;  // not empty: the value is unpacked
};

/// Assigns in the frame's innermost scope. Errors: invalid_argument for a value of another length,
/// and for an attribute of what is no namespace.
Result<void> assign(Frame& frame, const Target& target, const Var& value);

/// Text between tags.
struct DataStatement : Statement {
  Result<Flow> execute(Frame& frame) const override;
  std::string data;
};

/// {{ expression }}.
struct OutputStatement : Statement {
  Result<Flow> execute(Frame& frame) const override;
  const Expression* expression = nullptr;
};

struct IfStatement : Statement {
  Result<Flow> execute(Frame& frame) const override;
  std::vector<std::pair<const Expression*, Block>> branches;
  Block otherwise;
};

struct ForStatement : Statement {
  Result<Flow> execute(Frame& frame) const override;
  /// Runs the block for every item, in scopes inside `outer`.
  Result<void> run(Frame& frame, const Var& iterable, Scope* outer, std::size_t depth) const;
  Target target;
  const Expression* iterable = nullptr;
  const Expression* filter = nullptr;
  Block body;
  Block otherwise;
  Symbol loop = -1;  // the name `loop`
  bool recursive = false;

 private:
  Result<std::vector<Var>> select(Frame& frame, std::vector<Var> items) const;
};

/// loop(iterable) inside a recursive for block. Errors: invalid_argument when it is not recursive.
Result<Var> call_loop(LoopState& loop, Call& call);

struct JumpStatement : Statement {
  Result<Flow> execute(Frame&) const override { return flow; }
  Flow flow = Flow::loop_break;
};

/// {% set target = value %}.
struct SetStatement : Statement {
  Result<Flow> execute(Frame& frame) const override;
  Target target;
  const Expression* value = nullptr;
};

/// {% set target | filters %}...{% endset %}, and {% filter filters %}...{% endfilter %}, which
/// writes.
struct CaptureStatement : Statement {
  Result<Flow> execute(Frame& frame) const override;
  bool writes = false;
  Target target;
  std::vector<const FilterExpression*> filters;
  Block body;
};

/// {% with a = 1 %}, and blocks with nothing but a scope of their own: {% generation %}, {% block x
/// %}.
struct WithStatement : Statement {
  Result<Flow> execute(Frame& frame) const override;
  std::vector<std::pair<Target, const Expression*>> variables;
  Block body;
};

struct MacroDefinition {
  struct Parameter {
    Symbol symbol = -1;
    std::string name;
    const Expression* fallback = nullptr;
  };
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  // The names varargs, kwargs and caller where the body uses them; -1 elsewhere.
  Symbol varargs = -1;
  Symbol kwargs = -1;
  Symbol caller = -1;
};

/// Defines a call's arguments in the frame's scope, which is the macro's own.
/// Errors: invalid_argument in Jinja's words for arguments the macro does not take.
Result<void> bind_macro(const MacroDefinition& macro, Call& call, Frame& frame);

struct MacroStatement : Statement {
  Result<Flow> execute(Frame& frame) const override;
  /// The macro as a value, with the frame's scope around it.
  static Result<Var> close(const MacroDefinition& macro, Frame& frame);
  Symbol symbol = -1;
  MacroDefinition macro;
};

/// {% call(parameters) macro(...) %}...{% endcall %}.
struct CallStatement : Statement {
  Result<Flow> execute(Frame& frame) const override;
  const CallExpression* call = nullptr;
  MacroDefinition caller;
};

}  // namespace troupe::model::jinja
