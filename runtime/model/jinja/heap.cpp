#include "troupe/model/jinja/heap.h"

#include <memory>

namespace troupe::model::jinja {

std::size_t memory_of(const Text& text) {
  return text.bytes().capacity() + text.trusted().capacity() * sizeof(TextSpan) +
         sizeof(StringBody);
}

Result<void> Heap::check_text(std::size_t bytes) const {
  if (bytes <= limits_.text_bytes) return {};
  return fail(ErrorCode::invalid_argument, "the chat template built a text of " +
                                               std::to_string(bytes) + " bytes; the limit is " +
                                               std::to_string(limits_.text_bytes));
}

Result<void> Heap::check_memory(std::size_t more) const {
  if (meter_.in_use() + more <= limits_.memory_bytes) return {};
  return fail(ErrorCode::invalid_argument, "the chat template needs more than the " +
                                               std::to_string(limits_.memory_bytes) +
                                               " bytes of memory that one rendering may take");
}

template <class T>
Result<T*> Heap::keep(std::deque<T>& store, T value, std::size_t bytes) {
  bytes += sizeof(T);
  if (auto room = check_memory(bytes); !room) return fail(room.error());
  meter_.add(bytes);
  return &store.emplace_back(std::move(value));
}

Result<Var> Heap::text(Text text, bool markup) {
  if (auto fits = check_text(text.size()); !fits) return fail(fits.error());
  if (auto room = check_memory(memory_of(text)); !room) return fail(room.error());
  return Var::string(std::make_shared<const StringBody>(std::move(text), markup, &meter_));
}

Result<Var> Heap::sequence(std::vector<Var> items, SequenceKind kind) {
  const auto bytes = items.capacity() * sizeof(Var);
  return keep(sequences_, Sequence{std::move(items), kind}, bytes).map(&Var::sequence);
}

Result<Var> Heap::mapping(std::vector<Mapping::Entry> entries, bool is_namespace) {
  const auto bytes = entries.capacity() * sizeof(Mapping::Entry);
  return keep(mappings_, Mapping{std::move(entries), is_namespace}, bytes).map(&Var::mapping);
}

Result<void> Heap::set(Mapping& mapping, Var key, Var value) {
  const auto before = mapping.entries.capacity();
  mapping.set(std::move(key), std::move(value));
  meter_.add((mapping.entries.capacity() - before) * sizeof(Mapping::Entry));
  return check_memory(0);
}

Result<Var> Heap::callable(Callable callable) {
  return keep(callables_, std::move(callable), 0).map(&Var::callable);
}

Result<LoopState*> Heap::loop(std::vector<Var> items) {
  const auto bytes = items.capacity() * sizeof(Var);
  LoopState state;
  state.items = std::move(items);
  return keep(loops_, std::move(state), bytes);
}

void Heap::end(LoopState& loop) {
  meter_.remove(loop.items.capacity() * sizeof(Var));
  loop.items = {};
  loop.index = 0;
}

Result<Scope*> Heap::enter(Scope* parent) {
  if (!free_scopes_.empty()) {
    Scope* scope = free_scopes_.back();
    free_scopes_.pop_back();
    scope->parent = parent;
    return scope;
  }
  Scope fresh;
  fresh.parent = parent;
  return keep(scopes_, std::move(fresh), 8 * sizeof(Scope::Entry));
}

void Heap::leave(Scope* scope) {
  if (scope->remembered) return;
  scope->entries.clear();
  free_scopes_.push_back(scope);
}

}  // namespace troupe::model::jinja
