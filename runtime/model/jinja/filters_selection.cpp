#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/try.h"

#include <string>
#include <utility>

namespace troupe::model::jinja {
namespace {

/// Calls the filter or test with the further arguments of a call on one item.
Result<Var> run_on(Call& call, const Builtin& builtin, const Var& value, std::size_t first) {
  Call inner{call.render, value, {}, call.keywords};
  for (auto i = first; i < call.args.size(); ++i)
    inner.args.push_back(call.args[i]);
  JINJA_CHECK(call.render.spend(1 + inner.args.size()));
  JINJA_CHECK(bind(builtin, inner));
  return builtin.function(inner);
}

Result<const Builtin*> builtin_argument(const Call& call, std::size_t i,
                                        const Builtin* (*find)(std::string_view),
                                        std::string_view kind) {
  JINJA_TRY(name, text_argument(call, i));
  if (const Builtin* found = find(name.view())) return found;
  return fault("No " + std::string(kind) + " named '" + name.bytes() + "'.");
}

/// map(attribute="path", default=value).
Result<Var> map_attribute(Call& call, std::vector<Var> items) {
  Var path;
  Var otherwise;
  for (auto& [name, value] : call.keywords) {
    if (name == "attribute")
      path = value;
    else if (name == "default")
      otherwise = value;
    else
      return fault("Unexpected keyword argument '" + name + "'");
  }
  if (path.is_absent()) return fault("map requires a filter argument");
  for (Var& value : items) {
    JINJA_TRY(found, attribute_path(call.render, value, path));
    value = found.is_undefined() && !otherwise.is_absent() ? otherwise : found;
  }
  return call.render.heap().sequence(std::move(items), SequenceKind::generator);
}

Result<Var> map(Call& call) {
  JINJA_TRY(items, items_of(call.render, call.self));
  if (call.args.empty()) return map_attribute(call, std::move(items));
  JINJA_TRY(filter, builtin_argument(call, 0, &find_filter, "filter"));
  for (Var& value : items) {
    JINJA_TRY(mapped, run_on(call, *filter, value, 1));
    value = mapped;
  }
  return call.render.heap().sequence(std::move(items), SequenceKind::generator);
}

/// Keeps the items (or those whose attribute) pass a test, or are true without one.
template <bool Keeps, bool ByAttribute>
Result<Var> select(Call& call) {
  constexpr std::size_t kTest = ByAttribute ? 1 : 0;
  if (ByAttribute && call.args.empty()) return fault("Missing parameter for attribute name");
  const Builtin* test = nullptr;
  if (call.given(kTest)) {
    JINJA_TRY(found, builtin_argument(call, kTest, &find_test, "test"));
    test = found;
  }
  JINJA_TRY(items, items_of(call.render, call.self));
  std::vector<Var> kept;
  for (const Var& value : items) {
    JINJA_TRY(tested,
              ByAttribute ? attribute_path(call.render, value, call.args[0]) : Result<Var>(value));
    JINJA_TRY(result, test ? run_on(call, *test, tested, kTest + 1) : Result<Var>(tested));
    if (is_true(result) == Keeps) kept.push_back(value);
  }
  return call.render.heap().sequence(std::move(kept), SequenceKind::generator);
}

Result<Var> attr(Call& call) {
  JINJA_TRY(name, text_argument(call, 0));
  JINJA_TRY(key, call.render.heap().text(std::move(name)));
  return attribute_alone(call.render, call.self, key);
}

constexpr Builtin kFilters[] = {
    {"map", "* **", &map},
    {"select", "* **", &select<true, false>},
    {"reject", "* **", &select<false, false>},
    {"selectattr", "* **", &select<true, true>},
    {"rejectattr", "* **", &select<false, true>},
    {"attr", "name", &attr},
};

}  // namespace

std::span<const Builtin> selection_filters() {
  return kFilters;
}

}  // namespace troupe::model::jinja
