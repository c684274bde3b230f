#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/clock_format.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

#include <string>

namespace troupe::model::jinja {
namespace {

Result<Var> range(Call& call) {
  if (call.args.empty() || call.args.size() > 3) return fault("range expected 1 to 3 arguments");
  JINJA_TRY(first, integer_argument(call, 0, 0));
  JINJA_TRY(second, integer_argument(call, 1, 0));
  JINJA_TRY(step, integer_argument(call, 2, 1));
  const auto start = call.args.size() == 1 ? 0 : first;
  const auto stop = call.args.size() == 1 ? first : second;
  if (step == 0) return fault("range() arg 3 must not be zero");
  const bool up = step > 0;
  // As unsigned numbers, in which the distance between any two integers fits.
  const auto distance = up ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                           : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
  const auto stride = up ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const bool empty = up ? stop <= start : stop >= start;
  const auto count = empty ? 0 : (distance - 1) / stride + 1;
  if (count > call.render.limits().range_items)
    return fault("Range too big. A template may not use a range of more than " +
                 std::to_string(call.render.limits().range_items) + " numbers");
  JINJA_CHECK(call.render.spend(count / 4));
  std::vector<Var> items;
  items.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i)
    items.push_back(Var::integer(start + static_cast<std::int64_t>(i) * step, true));
  return call.render.heap().sequence(std::move(items), SequenceKind::range);
}

/// Puts the entries of a mapping, or the pairs of an iterable, and the keywords of a call together.
Result<std::vector<Mapping::Entry>> entries_of(Call& call) {
  Mapping mapping;
  if (call.args.size() > 1)
    return fault("expected at most 1 argument, got " + std::to_string(call.args.size()));
  if (!call.args.empty() && call.args[0].is_mapping()) {
    mapping.entries = call.args[0].as_mapping().entries;
  } else if (!call.args.empty()) {
    JINJA_TRY(pairs, items_of(call.render, call.args[0]));
    for (const Var& pair : pairs) {
      JINJA_TRY(parts, items_of(call.render, pair));
      if (parts.size() != 2)
        return fault("dictionary update sequence element has length " +
                     std::to_string(parts.size()) + "; 2 is required");
      if (parts[0].is_sequence() || parts[0].is_mapping())
        return fault("unhashable type: '" + std::string(type_name(parts[0])) + "'");
      JINJA_CHECK(call.render.spend(1 + mapping.entries.size() / 16));
      mapping.set(parts[0], parts[1]);
    }
  }
  for (const auto& [name, value] : call.keywords) {
    JINJA_CHECK(call.render.spend(1 + mapping.entries.size() / 16));
    JINJA_TRY(key, call.render.heap().text(name, true));
    mapping.set(std::move(key), value);
  }
  return std::move(mapping.entries);
}

template <bool IsNamespace>
Result<Var> make_mapping(Call& call) {
  JINJA_TRY(entries, entries_of(call));
  return call.render.heap().mapping(std::move(entries), IsNamespace);
}

Result<Var> raise_exception(Call& call) {
  JINJA_TRY(message, str(call.render, call.args[0]));
  return call.render.raise(message.bytes());
}

Result<Var> strftime_now(Call& call) {
  JINJA_TRY(format, text_argument(call, 0));
  JINJA_TRY(shown, format_time(format.view(), call.render.now()));
  return call.render.heap().text(std::move(shown), true);
}

constexpr Builtin kFunctions[] = {
    {"range", "*", &range},
    {"namespace", "* **", &make_mapping<true>},
    {"dict", "* **", &make_mapping<false>},
    {"raise_exception", "message", &raise_exception},
    {"strftime_now", "format", &strftime_now},
};

}  // namespace

std::span<const Builtin> functions() {
  return kFunctions;
}

}  // namespace troupe::model::jinja
