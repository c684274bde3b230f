#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/operators.h"
#include "troupe/model/jinja/sorting.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <string>

namespace troupe::model::jinja {
namespace {

Result<Var> length(Call& call) {
  JINJA_CHECK(call.render.spend(call.self.is_string() ? call.self.as_text().size() / 16 : 0));
  const auto count = length_of(call.self);
  if (count < 0)
    return fault("object of type '" + std::string(type_name(call.self)) + "' has no len()");
  return Var::integer(count, true);
}

Result<Var> first(Call& call) {
  if (call.self.is_sequence()) {
    auto& sequence = call.self.as_sequence();
    if (sequence.taken == sequence.items.size())
      return Var::undefined("No first item, sequence was empty.");
    const auto at = sequence.taken;
    if (sequence.kind == SequenceKind::generator) ++sequence.taken;
    return sequence.items[at];
  }
  if (call.self.is_string() && !call.self.as_text().empty())
    return item(call.render, call.self, Var::integer(0));
  JINJA_TRY(items, items_of(call.render, call.self));
  return items.empty() ? Var::undefined("No first item, sequence was empty.") : items.front();
}

Result<Var> last(Call& call) {
  if (call.self.is_sequence() && call.self.as_sequence().kind == SequenceKind::generator)
    return fault("'generator' object is not reversible");
  if (call.self.is_string() && !call.self.as_text().empty())
    return item(call.render, call.self, Var::integer(-1));
  JINJA_TRY(items, items_of(call.render, call.self));
  return items.empty() ? Var::undefined("No last item, sequence was empty.") : items.back();
}

Result<Var> join(Call& call) {
  JINJA_TRY(items, items_of(call.render, call.self));
  Text separator;
  if (call.given(0)) JINJA_CHECK(append_str(call.render, separator, call.args[0]));
  Text joined;
  for (std::size_t i = 0; i < items.size(); ++i) {
    JINJA_CHECK(call.render.spend(1 + separator.size() / 64));
    JINJA_CHECK(call.render.heap().check_text(joined.size() + separator.size()));
    if (i > 0) joined.append(separator);
    if (call.given(1)) {
      JINJA_TRY(part, attribute_path(call.render, items[i], call.args[1]));
      items[i] = part;
    }
    JINJA_CHECK(append_str(call.render, joined, items[i]));
  }
  return call.render.heap().text(std::move(joined));
}

Result<Var> reverse(Call& call) {
  if (call.self.is_string()) return slice(call.render, call.self, Var(), Var(), Var::integer(-1));
  JINJA_TRY(items, items_of(call.render, call.self));
  std::reverse(items.begin(), items.end());
  return call.render.heap().sequence(std::move(items), SequenceKind::generator);
}

Result<Var> list(Call& call) {
  JINJA_TRY(items, items_of(call.render, call.self));
  return call.render.heap().sequence(std::move(items));
}

Result<std::vector<Var>> keys_of(Call& call, const std::vector<Var>& items, const Var& path,
                                 bool case_sensitive) {
  std::vector<Var> keys;
  keys.reserve(items.size());
  for (const Var& value : items) {
    JINJA_TRY(key, sort_key(call.render, value, path, case_sensitive));
    keys.push_back(std::move(key));
  }
  return keys;
}

Result<Var> sort(Call& call) {
  JINJA_TRY(items, items_of(call.render, call.self));
  JINJA_TRY(keys, keys_of(call, items, call.args[2], flag_argument(call, 1, false)));
  JINJA_TRY(order, sorted_order(call.render, keys, flag_argument(call, 0, false)));
  std::vector<Var> sorted;
  sorted.reserve(items.size());
  for (const auto index : order)
    sorted.push_back(items[index]);
  return call.render.heap().sequence(std::move(sorted));
}

Result<Var> unique(Call& call) {
  JINJA_TRY(items, items_of(call.render, call.self));
  JINJA_TRY(keys, keys_of(call, items, call.args[1], flag_argument(call, 0, false)));
  std::vector<Var> kept;
  std::vector<Var> seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    bool known = false;
    for (const Var& other : seen) {
      JINJA_TRY(same, equal(call.render, other, keys[i]));
      known = known || same;
    }
    if (known) continue;
    seen.push_back(keys[i]);
    kept.push_back(items[i]);
  }
  return call.render.heap().sequence(std::move(kept), SequenceKind::generator);
}

template <bool Largest>
Result<Var> extreme(Call& call) {
  JINJA_TRY(items, items_of(call.render, call.self));
  if (items.empty()) return Var::undefined("No aggregated item, sequence was empty.");
  JINJA_TRY(keys, keys_of(call, items, call.args[1], flag_argument(call, 0, false)));
  std::size_t best = 0;
  for (std::size_t i = 1; i < items.size(); ++i) {
    JINJA_TRY(better, Largest ? less(call.render, keys[best], keys[i])
                              : less(call.render, keys[i], keys[best]));
    if (better) best = i;
  }
  return items[best];
}

Result<Var> sum(Call& call) {
  JINJA_TRY(items, items_of(call.render, call.self));
  Var total = call.given(1) ? call.args[1] : Var::integer(0, true);
  for (const Var& value : items) {
    JINJA_TRY(part, call.given(0) ? attribute_path(call.render, value, call.args[0])
                                  : Result<Var>(value));
    JINJA_TRY(next, apply(call.render, BinaryOperator::add, total, part));
    total = next;
  }
  return total;
}

constexpr Builtin kFilters[] = {
    {"length", "", &length},
    {"count", "", &length},
    {"first", "", &first},
    {"last", "", &last},
    {"join", "d? attribute?", &join},
    {"reverse", "", &reverse},
    {"list", "", &list},
    {"sort", "reverse? case_sensitive? attribute?", &sort},
    {"unique", "case_sensitive? attribute?", &unique},
    {"min", "case_sensitive? attribute?", &extreme<false>},
    {"max", "case_sensitive? attribute?", &extreme<true>},
    {"sum", "attribute? start?", &sum},
};

}  // namespace

std::span<const Builtin> sequence_filters() {
  return kFilters;
}

}  // namespace troupe::model::jinja
