#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/var.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::model::jinja {

class Render;
struct MacroDefinition;
struct Scope;

/// One call of a filter, test, method, function or macro.
struct Call {
  Render& render;
  /// What a filter or method works on; absent for functions.
  Var self;
  std::vector<Var> args;
  std::vector<std::pair<std::string, Var>> keywords;

  bool given(std::size_t i) const { return i < args.size() && !args[i].is_absent(); }
};

using BuiltinFunction = Result<Var> (*)(Call&);

/// A line in a table of filters, tests, methods or functions.
struct Builtin {
  std::string_view name;
  /// Its parameters after the value it works on, in order: "old new count?". `?` marks one that may
  /// be left out, a final `*` takes further positional arguments, a final `**` any keywords.
  std::string_view parameters;
  /// Called with args[i] the i-th parameter, absent when it was left out.
  BuiltinFunction function;
};

/// Puts the arguments of a call in the order of the parameters.
/// Errors: invalid_argument, in Python's words, for those missing, unknown, doubled or too many.
Result<void> bind(const Builtin& builtin, Call& call);

/// Something a template can call: a builtin with the value it is a method of, a macro with the
/// scope it was defined in, or a function() that always fails.
struct Callable {
  std::string name;
  const Builtin* builtin = nullptr;
  Var self;
  const MacroDefinition* macro = nullptr;
  Scope* scope = nullptr;
};

}  // namespace troupe::model::jinja
