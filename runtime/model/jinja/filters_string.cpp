#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/escape.h"
#include "troupe/model/jinja/percent_format.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/text_case.h"
#include "troupe/model/jinja/text_search.h"
#include "troupe/model/jinja/try.h"

#include <string>

namespace troupe::model::jinja {
namespace {

/// A filter that makes one text of the value's str.
template <Text (*Convert)(const Text&)>
Result<Var> convert(Call& call) {
  JINJA_TRY(text, str(call.render, call.self));
  JINJA_CHECK(call.render.spend(text.size() / 4));
  return call.render.heap().text(Convert(text), call.self.is_markup());
}

Result<Var> trim(Call& call) {
  JINJA_TRY(text, str(call.render, call.self));
  JINJA_TRY(set, text_argument(call, 0));
  JINJA_CHECK(call.render.spend(text.size() / 64 * (1 + set.size())));
  return call.render.heap().text(strip(text, set.view(), Ends::both), call.self.is_markup());
}

Result<Var> replace_filter(Call& call) {
  JINJA_TRY(text, str(call.render, call.self));
  JINJA_TRY(old, str(call.render, call.args[0]));
  JINJA_TRY(fresh, str(call.render, call.args[1]));
  JINJA_TRY(count, integer_argument(call, 2, -1));
  JINJA_TRY(replaced, replace(call.render, text, old, fresh, count));
  return call.render.heap().text(std::move(replaced));
}

Result<Var> string(Call& call) {
  return str_var(call.render, call.self);
}

Result<Var> safe(Call& call) {
  if (call.self.is_markup()) return call.self;
  JINJA_TRY(text, str(call.render, call.self));
  return call.render.heap().text(std::move(text), true);
}

Result<Var> escape(Call& call) {
  if (call.self.is_markup()) return call.self;
  JINJA_TRY(text, str(call.render, call.self));
  JINJA_CHECK(call.render.spend(text.size() / 8));
  return call.render.heap().text(escape_html(text), true);
}

Result<Var> force_escape(Call& call) {
  JINJA_TRY(text, str(call.render, call.self));
  JINJA_CHECK(call.render.spend(text.size() / 8));
  return call.render.heap().text(escape_html(text), true);
}

Result<Var> format(Call& call) {
  JINJA_TRY(text, str_var(call.render, call.self));
  if (!call.keywords.empty() && !call.args.empty())
    return fault("can't handle positional and keyword arguments at the same time");
  if (call.keywords.empty()) {
    JINJA_TRY(values, call.render.heap().sequence(call.args, SequenceKind::tuple));
    return percent_format(call.render, text, values);
  }
  std::vector<Mapping::Entry> entries;
  for (const auto& [name, value] : call.keywords) {
    JINJA_TRY(key, call.render.heap().text(name, true));
    entries.emplace_back(std::move(key), value);
  }
  JINJA_TRY(values, call.render.heap().mapping(std::move(entries)));
  return percent_format(call.render, text, values);
}

Result<Var> word_count(Call& call) {
  JINJA_TRY(text, str(call.render, call.self));
  JINJA_CHECK(call.render.spend(text.size() / 8));
  return Var::integer(static_cast<std::int64_t>(split_at_space(text, -1).size()));
}

constexpr Builtin kFilters[] = {
    {"upper", "", &convert<upper>},
    {"lower", "", &convert<lower>},
    {"capitalize", "", &convert<capitalize>},
    {"title", "", &convert<title_words>},
    {"trim", "chars?", &trim},
    {"replace", "old new count?", &replace_filter},
    {"string", "", &string},
    {"safe", "", &safe},
    {"escape", "", &escape},
    {"e", "", &escape},
    {"forceescape", "", &force_escape},
    {"format", "* **", &format},
    {"wordcount", "", &word_count},
};

}  // namespace

std::span<const Builtin> string_filters() {
  return kFilters;
}

}  // namespace troupe::model::jinja
