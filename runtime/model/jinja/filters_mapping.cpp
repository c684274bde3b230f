#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/containers.h"
#include "troupe/model/jinja/operators.h"
#include "troupe/model/jinja/sorting.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <string>

namespace troupe::model::jinja {
namespace {

bool is_dict(const Var& value) {
  return value.is_mapping() && !value.as_mapping().is_namespace;
}

Result<Var> items(Call& call) {
  if (call.self.is_undefined()) return call.render.heap().sequence({}, SequenceKind::generator);
  if (!is_dict(call.self)) return fault("Can only get item pairs from a mapping.");
  return pairs_of(call.render, call.self.as_mapping(), SequenceKind::generator);
}

Result<Var> dict_sort(Call& call) {
  JINJA_CHECK(require_defined(call.self));
  if (!is_dict(call.self)) return fault("'" + type_words(call.self) + "' has no attribute 'items'");
  JINJA_TRY(by, text_argument(call, 1, Text("key", true)));
  if (by.bytes() != "key" && by.bytes() != "value")
    return fault("You can only sort by either \"key\" or \"value\"");
  const auto& entries = call.self.as_mapping().entries;
  std::vector<Var> keys;
  for (const auto& [key, value] : entries) {
    JINJA_TRY(compared, sort_key(call.render, by.bytes() == "key" ? key : value, Var(),
                                 flag_argument(call, 0, false)));
    keys.push_back(std::move(compared));
  }
  JINJA_TRY(order, sorted_order(call.render, keys, flag_argument(call, 2, false)));
  std::vector<Var> pairs;
  for (const auto index : order) {
    JINJA_TRY(pair, call.render.heap().sequence({entries[index].first, entries[index].second},
                                                SequenceKind::tuple));
    pairs.push_back(std::move(pair));
  }
  return call.render.heap().sequence(std::move(pairs));
}

/// The items in rows of `count`, the last one filled up when a filling was given.
Result<Var> batch(Call& call) {
  JINJA_TRY(values, items_of(call.render, call.self));
  JINJA_TRY(count, integer_argument(call, 0, 1));
  if (count < 1 || count > static_cast<std::int64_t>(call.render.limits().range_items))
    return fault("batch takes a count from 1 to " +
                 std::to_string(call.render.limits().range_items));
  std::vector<Var> rows;
  for (std::size_t at = 0; at < values.size(); at += static_cast<std::size_t>(count)) {
    const auto end = std::min(values.size(), at + static_cast<std::size_t>(count));
    std::vector<Var> row(values.begin() + static_cast<std::ptrdiff_t>(at),
                         values.begin() + static_cast<std::ptrdiff_t>(end));
    if (call.given(1) && !call.args[1].is_none())
      row.resize(static_cast<std::size_t>(count), call.args[1]);
    JINJA_TRY(list, call.render.heap().sequence(std::move(row)));
    rows.push_back(std::move(list));
  }
  return call.render.heap().sequence(std::move(rows), SequenceKind::generator);
}

/// (key, items) tuples, sorted by key, for the items that share the key.
Result<Var> group_by(Call& call) {
  JINJA_TRY(values, items_of(call.render, call.self));
  std::vector<Var> keys;
  for (const Var& value : values) {
    JINJA_TRY(key, sort_key(call.render, value, call.args[0], flag_argument(call, 2, false)));
    keys.push_back(key.is_undefined() && call.given(1) ? call.args[1] : std::move(key));
  }
  JINJA_TRY(order, sorted_order(call.render, keys, false));
  std::vector<Var> groups;
  for (std::size_t i = 0; i < order.size();) {
    const auto begin = i;
    std::vector<Var> members;
    for (bool same = true; same && i < order.size();) {
      members.push_back(values[order[i++]]);
      if (i == order.size()) break;
      JINJA_TRY(equals, equal(call.render, keys[order[begin]], keys[order[i]]));
      same = equals;
    }
    JINJA_TRY(list, call.render.heap().sequence(std::move(members)));
    JINJA_TRY(label, attribute_path(call.render, values[order[begin]], call.args[0]));
    JINJA_TRY(group,
              call.render.heap().sequence({label.is_undefined() ? keys[order[begin]] : label, list},
                                          SequenceKind::tuple));
    groups.push_back(std::move(group));
  }
  return call.render.heap().sequence(std::move(groups));
}

constexpr Builtin kFilters[] = {
    {"items", "", &items},
    {"dictsort", "case_sensitive? by? reverse?", &dict_sort},
    {"batch", "linecount fill_with?", &batch},
    {"groupby", "attribute default? case_sensitive?", &group_by},
};

}  // namespace

std::span<const Builtin> mapping_filters() {
  return kFilters;
}

}  // namespace troupe::model::jinja
