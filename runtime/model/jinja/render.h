#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/ast.h"
#include "troupe/model/jinja/callable.h"
#include "troupe/model/jinja/heap.h"
#include "troupe/model/jinja/limits.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::model::jinja {

/// One rendering: its variables, what it may still spend, and the walk over the template's nodes.
/// Used by one thread, once.
class Render {
 public:
  Render(const Template& source, const Limits& limits, std::chrono::local_seconds now);

  Heap& heap() { return heap_; }
  const Limits& limits() const { return limits_; }
  /// What strftime_now() shows.
  std::chrono::local_seconds now() const { return now_; }

  /// Defines a variable of the outermost scope, which the template may hide by its own.
  void define(const std::string& name, Var value);
  /// The whole template's text. Errors: invalid_argument, see ChatTemplate::render.
  Result<Text> run();

  /// Pays for work. Errors: invalid_argument when the rendering has spent its steps.
  Result<void> spend(std::size_t steps);
  /// Pays for copying or scanning that many bytes.
  Result<void> spend_bytes(std::size_t bytes) { return spend(bytes / 256); }

  Result<Var> evaluate(const Expression& expression, Frame& frame);
  Result<Flow> execute(const Block& block, Frame& frame);
  /// The value of a name; an undefined variable when nothing defines it.
  Result<Var> look_up(Symbol symbol, const Scope* scope);
  /// Calls what a template called. Errors: those of the call, and "'str' object is not callable".
  Result<Var> call(const Var& callee, Call& call);
  /// Counts one more call in progress. Errors: invalid_argument when too deep. Undo by
  /// leave_call().
  Result<void> enter_call() { return enter(); }
  void leave_call() { leave(); }
  /// Fails with the text that the template raised, to which no place is added.
  tl::unexpected<Error> raise(std::string message);

 private:
  /// Counts a step and a level; leave() when it succeeded.
  Result<void> enter();
  void leave() { --depth_; }
  Result<Var> call_macro(const Callable& macro, Call& call);
  tl::unexpected<Error> place(const Error& error, std::size_t at);

  const Template& template_;
  const Limits limits_;
  const std::chrono::local_seconds now_;
  Heap heap_;
  std::vector<Var> globals_;  // by Symbol; absent when not defined
  std::size_t steps_ = 0;
  std::size_t depth_ = 0;
  bool placed_ = false;  // the error on its way up says where it happened
};

/// The error of a fault of the template on this input.
tl::unexpected<Error> fault(std::string message);

}  // namespace troupe::model::jinja
