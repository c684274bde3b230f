#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/text_search.h"
#include "troupe/model/jinja/try.h"

#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

Result<Var> list_of(Call& call, std::vector<Text> texts, SequenceKind kind = SequenceKind::list) {
  JINJA_CHECK(call.render.spend(texts.size()));
  std::vector<Var> items;
  items.reserve(texts.size());
  for (auto& text : texts) {
    JINJA_TRY(value, call.render.heap().text(std::move(text)));
    items.push_back(std::move(value));
  }
  return call.render.heap().sequence(std::move(items), kind);
}

template <bool FromRight>
Result<Var> split_method(Call& call) {
  JINJA_TRY(separator, text_argument(call, 0));
  JINJA_TRY(limit, integer_argument(call, 1, -1));
  const Text& text = self_text(call);
  JINJA_CHECK(call.render.spend(text.size() / 8));
  if (!call.given(0) || call.args[0].is_none())
    return list_of(
        call, FromRight ? split_at_space_from_right(text, limit) : split_at_space(text, limit));
  if (separator.empty()) return fault("empty separator");
  return list_of(call, FromRight ? split_from_right(text, separator.view(), limit)
                                 : split(text, separator.view(), limit));
}

Result<Var> split_lines_method(Call& call) {
  JINJA_CHECK(call.render.spend(self_text(call).size() / 8));
  return list_of(call, split_lines(self_text(call), flag_argument(call, 0, false)));
}

template <bool Last>
Result<Var> partition(Call& call) {
  JINJA_TRY(separator, text_argument(call, 0));
  if (separator.empty()) return fault("empty separator");
  const Text& text = self_text(call);
  JINJA_CHECK(call.render.spend_bytes(text.size()));
  const auto at = Last ? text.view().rfind(separator.view()) : text.view().find(separator.view());
  if (at == std::string_view::npos)
    return list_of(call,
                   Last ? std::vector{Text(), Text(), text} : std::vector{text, Text(), Text()},
                   SequenceKind::tuple);
  const auto end = at + separator.size();
  return list_of(call, {text.slice(0, at), text.slice(at, end), text.slice(end, text.size())},
                 SequenceKind::tuple);
}

template <Ends At>
Result<Var> strip_method(Call& call) {
  JINJA_TRY(set, text_argument(call, 0));
  JINJA_CHECK(call.render.spend(self_text(call).size() / 64 * (1 + set.size())));
  const bool empty_set = call.given(0) && !call.args[0].is_none() && set.empty();
  if (empty_set) return call.self;
  return call.render.heap().text(strip(self_text(call), set.view(), At), call.self.is_markup());
}

Result<Var> join(Call& call) {
  JINJA_CHECK(require_defined(call.args[0]));
  JINJA_TRY(items, items_of(call.render, call.args[0]));
  Text joined;
  for (std::size_t i = 0; i < items.size(); ++i) {
    JINJA_CHECK(require_defined(items[i]));
    if (!items[i].is_string())
      return fault("sequence item " + std::to_string(i) + ": expected str instance, " +
                   std::string(type_name(items[i])) + " found");
    const auto more = items[i].as_text().size() + self_text(call).size();
    JINJA_CHECK(call.render.heap().check_text(joined.size() + more));
    JINJA_CHECK(call.render.spend(1 + more / 64));
    if (i > 0) joined.append(self_text(call));
    joined.append(items[i].as_text());
  }
  return call.render.heap().text(std::move(joined));
}

constexpr Builtin kMethods[] = {
    {"split", "sep? maxsplit?", &split_method<false>},
    {"rsplit", "sep? maxsplit?", &split_method<true>},
    {"splitlines", "keepends?", &split_lines_method},
    {"partition", "sep", &partition<false>},
    {"rpartition", "sep", &partition<true>},
    {"strip", "chars?", &strip_method<Ends::both>},
    {"lstrip", "chars?", &strip_method<Ends::left>},
    {"rstrip", "chars?", &strip_method<Ends::right>},
    {"join", "iterable", &join},
};

}  // namespace

std::span<const Builtin> string_split_methods() {
  return kMethods;
}

}  // namespace troupe::model::jinja
