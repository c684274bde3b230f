#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/text_search.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

constexpr auto kNone = std::string_view::npos;

/// The part of the text that the optional arguments start and end leave, in bytes.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Result<Window> window(const Call& call, std::size_t first) {
  const auto text = self_text(call).view();
  if (!call.given(first) && !call.given(first + 1)) return Window{0, text.size()};
  JINJA_CHECK(call.render.spend(text.size() / 16));
  const auto length = static_cast<std::int64_t>(character_count(text));
  JINJA_TRY(start, integer_argument(call, first, 0));
  JINJA_TRY(end, integer_argument(call, first + 1, length));
  if (start < 0) start = std::max<std::int64_t>(start + length, 0);
  if (end < 0) end = std::max<std::int64_t>(end + length, 0);
  if (start > length) return Window{1, 0};
  return Window{byte_offset(text, static_cast<std::size_t>(start)),
                byte_offset(text, static_cast<std::size_t>(end))};
}

template <bool AtEnd>
Result<Var> affix(Call& call) {
  JINJA_TRY(range, window(call, 1));
  const bool many = call.args[0].is_sequence();
  JINJA_TRY(affixes, many ? items_of(call.render, call.args[0])
                          : Result<std::vector<Var>>(std::vector{call.args[0]}));
  for (const Var& value : affixes) {
    JINJA_CHECK(require_defined(value));
    if (!value.is_string())
      return fault(std::string(AtEnd ? "endswith" : "startswith") +
                   " first arg must be str or a tuple of str, not " +
                   std::string(type_name(value)));
    if (range.begin > range.end) continue;
    const auto part = self_text(call).view().substr(range.begin, range.end - range.begin);
    if (AtEnd ? part.ends_with(value.as_text().view()) : part.starts_with(value.as_text().view()))
      return Var::boolean(true);
  }
  return Var::boolean(false);
}

/// Character index of the first (or last) match; -1 without one.
Result<std::int64_t> position_of(Call& call, bool last) {
  JINJA_TRY(needle, text_argument(call, 0));
  JINJA_TRY(range, window(call, 1));
  if (range.begin > range.end) return -1;
  JINJA_CHECK(call.render.spend(self_text(call).size() / 16));
  const auto part = self_text(call).view().substr(range.begin, range.end - range.begin);
  const auto found = last ? part.rfind(needle.view()) : part.find(needle.view());
  if (found == kNone) return -1;
  return static_cast<std::int64_t>(
      character_count(self_text(call).view().substr(0, range.begin + found)));
}

template <bool Last, bool MustExist>
Result<Var> find(Call& call) {
  JINJA_TRY(index, position_of(call, Last));
  if (MustExist && index < 0) return fault("substring not found");
  return Var::integer(index);
}

Result<Var> count(Call& call) {
  JINJA_TRY(needle, text_argument(call, 0));
  JINJA_TRY(range, window(call, 1));
  JINJA_CHECK(call.render.spend(self_text(call).size() / 16));
  if (range.begin > range.end) return Var::integer(0);
  const auto part = self_text(call).view().substr(range.begin, range.end - range.begin);
  if (needle.empty()) return Var::integer(static_cast<std::int64_t>(character_count(part)) + 1);
  std::int64_t matches = 0;
  for (auto at = part.find(needle.view()); at != kNone;
       at = part.find(needle.view(), at + needle.size()))
    ++matches;
  return Var::integer(matches);
}

Result<Var> replace_method(Call& call) {
  JINJA_TRY(old, text_argument(call, 0));
  JINJA_TRY(fresh, text_argument(call, 1));
  JINJA_TRY(limit, integer_argument(call, 2, -1));
  JINJA_TRY(replaced, replace(call.render, self_text(call), old, fresh, limit));
  return call.render.heap().text(std::move(replaced), call.self.is_markup());
}

Result<Var> remove_prefix(Call& call) {
  JINJA_TRY(prefix, text_argument(call, 0));
  const auto& text = self_text(call);
  JINJA_CHECK(call.render.spend_bytes(text.size()));
  if (!text.view().starts_with(prefix.view())) return call.self;
  return call.render.heap().text(text.slice(prefix.size(), text.size()));
}

Result<Var> remove_suffix(Call& call) {
  JINJA_TRY(suffix, text_argument(call, 0));
  const auto& text = self_text(call);
  JINJA_CHECK(call.render.spend_bytes(text.size()));
  if (!text.view().ends_with(suffix.view())) return call.self;
  return call.render.heap().text(text.slice(0, text.size() - suffix.size()));
}

constexpr Builtin kMethods[] = {
    {"startswith", "prefix start? end?", &affix<false>},
    {"endswith", "suffix start? end?", &affix<true>},
    {"find", "sub start? end?", &find<false, false>},
    {"rfind", "sub start? end?", &find<true, false>},
    {"index", "sub start? end?", &find<false, true>},
    {"rindex", "sub start? end?", &find<true, true>},
    {"count", "sub start? end?", &count},
    {"replace", "old new count?", &replace_method},
    {"removeprefix", "prefix", &remove_prefix},
    {"removesuffix", "suffix", &remove_suffix},
};

}  // namespace

std::span<const Builtin> string_search_methods() {
  return kMethods;
}

}  // namespace troupe::model::jinja
