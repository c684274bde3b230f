#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/containers.h"
#include "troupe/model/jinja/operators.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

#include <string>

namespace troupe::model::jinja {

Result<Var> pairs_of(Render& render, const Mapping& mapping, SequenceKind kind) {
  JINJA_CHECK(render.spend(mapping.entries.size()));
  std::vector<Var> pairs;
  pairs.reserve(mapping.entries.size());
  for (const auto& [key, value] : mapping.entries) {
    JINJA_TRY(pair, render.heap().sequence({key, value}, SequenceKind::tuple));
    pairs.push_back(std::move(pair));
  }
  return render.heap().sequence(std::move(pairs), kind);
}

namespace {

Result<Var> list_index(Call& call) {
  const auto& items = call.self.as_sequence().items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    JINJA_TRY(same, equal(call.render, items[i], call.args[0]));
    if (same) return Var::integer(static_cast<std::int64_t>(i));
  }
  Text words;
  JINJA_CHECK(append_repr(call.render, words, call.args[0]));
  return fault(words.bytes() + " is not in list");
}

Result<Var> list_count(Call& call) {
  std::int64_t count = 0;
  for (const Var& value : call.self.as_sequence().items) {
    JINJA_TRY(same, equal(call.render, value, call.args[0]));
    count += same ? 1 : 0;
  }
  return Var::integer(count);
}

Result<Var> list_copy(Call& call) {
  JINJA_CHECK(call.render.spend(call.self.as_sequence().items.size() / 4));
  return call.render.heap().sequence(call.self.as_sequence().items, call.self.as_sequence().kind);
}

Result<Var> dict_get(Call& call) {
  JINJA_TRY(found, find_key(call.render, call.self.as_mapping(), call.args[0]));
  if (found) return *found;
  return call.given(1) ? call.args[1] : Var::none();
}

Result<Var> dict_items(Call& call) {
  return pairs_of(call.render, call.self.as_mapping(), SequenceKind::view);
}

Result<Var> dict_keys(Call& call) {
  JINJA_TRY(keys, items_of(call.render, call.self));
  return call.render.heap().sequence(std::move(keys), SequenceKind::view);
}

Result<Var> dict_values(Call& call) {
  const auto& entries = call.self.as_mapping().entries;
  JINJA_CHECK(call.render.spend(entries.size() / 4));
  std::vector<Var> values;
  values.reserve(entries.size());
  for (const auto& entry : entries)
    values.push_back(entry.second);
  return call.render.heap().sequence(std::move(values), SequenceKind::view);
}

Result<Var> dict_copy(Call& call) {
  JINJA_CHECK(call.render.spend(call.self.as_mapping().entries.size() / 4));
  return call.render.heap().mapping(call.self.as_mapping().entries);
}

Result<Var> loop_cycle(Call& call) {
  if (call.args.empty()) return fault("no items for cycling given");
  return call.args[call.self.as_loop().index % call.args.size()];
}

Result<Var> loop_changed(Call& call) {
  auto& loop = call.self.as_loop();
  bool same = loop.has_seen && loop.last_seen.size() == call.args.size();
  for (std::size_t i = 0; same && i < call.args.size(); ++i) {
    JINJA_TRY(equals, equal(call.render, loop.last_seen[i], call.args[i]));
    same = equals;
  }
  loop.has_seen = true;
  loop.last_seen = call.args;
  return Var::boolean(!same, true);
}

constexpr Builtin kSequenceMethods[] = {
    {"index", "value", &list_index},
    {"count", "value", &list_count},
    {"copy", "", &list_copy},
};

constexpr Builtin kMappingMethods[] = {
    {"get", "key default?", &dict_get}, {"items", "", &dict_items}, {"keys", "", &dict_keys},
    {"values", "", &dict_values},       {"copy", "", &dict_copy},
};

constexpr Builtin kLoopMethods[] = {
    {"cycle", "*", &loop_cycle},
    {"changed", "*", &loop_changed},
};

}  // namespace

std::span<const Builtin> sequence_methods() {
  return kSequenceMethods;
}
std::span<const Builtin> mapping_methods() {
  return kMappingMethods;
}
std::span<const Builtin> loop_methods() {
  return kLoopMethods;
}

}  // namespace troupe::model::jinja
