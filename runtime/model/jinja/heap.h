#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/callable.h"
#include "troupe/model/jinja/limits.h"
#include "troupe/model/jinja/loop_state.h"
#include "troupe/model/jinja/scope.h"
#include "troupe/model/jinja/var.h"

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace troupe::model::jinja {

/// Bytes that one rendering holds.
class MemoryMeter {
 public:
  void add(std::size_t bytes) { in_use_ += bytes; }
  void remove(std::size_t bytes) { in_use_ -= bytes; }
  std::size_t in_use() const { return in_use_; }

 private:
  std::size_t in_use_ = 0;
};

/// Bytes a text takes, its marks included.
std::size_t memory_of(const Text& text);

/// Owns what a rendering creates. Strings are freed with their last variable; everything else lives
/// as long as the heap, in flat lists, so that freeing never recurses. Every creation can fail with
/// invalid_argument when the rendering would hold or build more than its limits allow.
class Heap {
 public:
  explicit Heap(const Limits& limits) : limits_(limits) {}

  Result<Var> text(Text text, bool markup = false);
  Result<Var> text(std::string bytes, bool trusted) {
    return this->text(Text(std::move(bytes), trusted));
  }
  Result<Var> sequence(std::vector<Var> items, SequenceKind kind = SequenceKind::list);
  Result<Var> mapping(std::vector<Mapping::Entry> entries, bool is_namespace = false);
  Result<Var> callable(Callable callable);
  Result<LoopState*> loop(std::vector<Var> items);
  /// Frees the items of a loop that has ended; the template may still hold the loop itself.
  void end(LoopState& loop);
  /// Sets an entry of a namespace.
  Result<void> set(Mapping& mapping, Var key, Var value);
  /// A scope inside `parent`; leave() it when its block ends.
  Result<Scope*> enter(Scope* parent);
  /// Reuses a scope that no macro remembers.
  void leave(Scope* scope);

  /// Fails when a text of that many bytes, or that much more memory, is over the limits.
  Result<void> check_text(std::size_t bytes) const;
  Result<void> check_memory(std::size_t more) const;

 private:
  template <class T>
  Result<T*> keep(std::deque<T>& store, T value, std::size_t bytes);

  const Limits limits_;
  MemoryMeter
      meter_;  // declared before everything that holds strings, which return their bytes to it
  std::deque<Sequence> sequences_;
  std::deque<Mapping> mappings_;
  std::deque<Callable> callables_;
  std::deque<LoopState> loops_;
  std::deque<Scope> scopes_;
  std::vector<Scope*> free_scopes_;
};

}  // namespace troupe::model::jinja
