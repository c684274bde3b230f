#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/format_spec.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/text_search.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>
#include <string>

namespace troupe::model::jinja {
namespace {

/// The indentation that an argument names: a text, or a number of spaces.
Result<Text> indentation(const Call& call, std::size_t i) {
  if (call.given(i) && call.args[i].is_string()) return call.args[i].as_text();
  JINJA_TRY(width, integer_argument(call, i, 4));
  if (width > static_cast<std::int64_t>(kMaxFormatWidth))
    return fault("an indentation above " + std::to_string(kMaxFormatWidth));
  return Text(std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' '), false);
}

Result<Var> indent(Call& call) {
  JINJA_TRY(text, str(call.render, call.self));
  JINJA_TRY(space, indentation(call, 0));
  const bool first = flag_argument(call, 1, false);
  const bool blank = flag_argument(call, 2, false);
  JINJA_CHECK(call.render.spend(text.size() / 8));
  text.append("\n", false);  // so that a newline at the end is one more line
  const auto lines = split_lines(text, false);
  Text out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    JINJA_CHECK(call.render.spend(1 + space.size() / 64));
    JINJA_CHECK(call.render.heap().check_text(out.size() + lines[i].size() + space.size()));
    if (i > 0) out.append("\n", false);
    const bool indents = i == 0 ? first : blank || !lines[i].empty();
    if (indents) out.append(space);
    out.append(lines[i]);
  }
  return call.render.heap().text(std::move(out), call.self.is_markup());
}

Result<Var> center(Call& call) {
  JINJA_TRY(text, str(call.render, call.self));
  JINJA_TRY(width, integer_argument(call, 0, 80));
  JINJA_CHECK(call.render.spend(text.size() / 16));
  const auto length = static_cast<std::int64_t>(character_count(text.view()));
  const auto space = std::max<std::int64_t>(width - length, 0);
  JINJA_CHECK(call.render.heap().check_text(static_cast<std::size_t>(space)));
  const auto before = space / 2 + (space & width & 1);
  Text out(std::string(static_cast<std::size_t>(before), ' '), false);
  out.append(text);
  out.append(std::string(static_cast<std::size_t>(space - before), ' '), false);
  return call.render.heap().text(std::move(out));
}

Result<Var> truncate(Call& call) {
  JINJA_TRY(text, str(call.render, call.self));
  JINJA_TRY(length, integer_argument(call, 0, 255));
  JINJA_CHECK(call.render.spend(text.size() / 8));
  const bool cuts_words = flag_argument(call, 1, false);
  JINJA_TRY(end, text_argument(call, 2, Text("...", true)));
  JINJA_TRY(leeway, integer_argument(call, 3, 5));
  const auto end_length = static_cast<std::int64_t>(character_count(end.view()));
  if (length < end_length)
    return fault("expected length >= " + std::to_string(end_length) + ", got " +
                 std::to_string(length));
  if (static_cast<std::int64_t>(character_count(text.view())) <= length + leeway)
    return str_var(call.render, call.self);
  Text cut = text.slice(0, byte_offset(text.view(), static_cast<std::size_t>(length - end_length)));
  if (!cuts_words) cut = split_from_right(cut, " ", 1).front();
  cut.append(end);
  return call.render.heap().text(std::move(cut));
}

constexpr Builtin kFilters[] = {
    {"indent", "width? first? blank?", &indent},
    {"center", "width?", &center},
    {"truncate", "length? killwords? end? leeway?", &truncate},
};

}  // namespace

std::span<const Builtin> text_layout_filters() {
  return kFilters;
}

}  // namespace troupe::model::jinja
