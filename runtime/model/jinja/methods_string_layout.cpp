#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/percent_format.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>
#include <string>

namespace troupe::model::jinja {
namespace {

enum class Side { left, right, center };

Result<Var> pad(Call& call, Side text_side, std::int64_t width, const Text& fill) {
  JINJA_CHECK(call.render.spend(self_text(call).size() / 16));
  const auto length = static_cast<std::int64_t>(character_count(self_text(call).view()));
  if (width <= length) return call.self;
  const auto space = static_cast<std::size_t>(width - length);
  JINJA_CHECK(call.render.heap().check_text(space));
  JINJA_CHECK(call.render.spend(space));
  // As in Python, an odd space of a centred text has its larger half on the side that depends on
  // both.
  const auto odd = space % 2 == 1 && width % 2 == 1;
  const auto before = text_side == Side::left    ? 0
                      : text_side == Side::right ? space
                                                 : space / 2 + (odd ? 1 : 0);
  Text padded;
  for (std::size_t i = 0; i < before; ++i)
    padded.append(fill);
  padded.append(self_text(call));
  for (std::size_t i = before; i < space; ++i)
    padded.append(fill);
  return call.render.heap().text(std::move(padded));
}

template <Side TextSide>
Result<Var> justify(Call& call) {
  JINJA_TRY(width, integer_argument(call, 0, 0));
  JINJA_TRY(fill, text_argument(call, 1, Text(" ", false)));
  if (character_count(fill.view()) != 1)
    return fault("The fill character must be exactly one character long");
  return pad(call, TextSide, width, fill);
}

Result<Var> zfill(Call& call) {
  JINJA_TRY(width, integer_argument(call, 0, 0));
  const Text& text = self_text(call);
  JINJA_CHECK(call.render.spend(text.size() / 16));
  const auto length = static_cast<std::int64_t>(character_count(text.view()));
  if (width <= length) return call.self;
  const auto zeros = static_cast<std::size_t>(width - length);
  JINJA_CHECK(call.render.heap().check_text(zeros));
  const std::size_t sign = text.view().starts_with('-') || text.view().starts_with('+') ? 1 : 0;
  Text padded = text.slice(0, sign);
  padded.append(std::string(zeros, '0'), false);
  padded.append(text, sign, text.size());
  return call.render.heap().text(std::move(padded));
}

Result<Var> expand_tabs(Call& call) {
  JINJA_TRY(size, integer_argument(call, 0, 8));
  if (size > 1000) return fault("expandtabs() takes at most 1000 columns");
  JINJA_CHECK(call.render.spend(self_text(call).size() / 8));
  const Text& text = self_text(call);
  Text out;
  std::int64_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text.view(), at);
    if (character.code == '\t') {
      const auto spaces = size > 0 ? size - column % size : 0;
      out.append(std::string(static_cast<std::size_t>(spaces), ' '), text.trusted_at(at));
      JINJA_CHECK(call.render.heap().check_text(out.size()));
      column += spaces;
    } else {
      out.append(text, at, at + character.size);
      column = character.code == '\n' || character.code == '\r' ? 0 : column + 1;
    }
    at += character.size;
  }
  return call.render.heap().text(std::move(out));
}

constexpr Builtin kMethods[] = {
    {"format", "* **", &brace_format},
    {"center", "width fillchar?", &justify<Side::center>},
    {"ljust", "width fillchar?", &justify<Side::left>},
    {"rjust", "width fillchar?", &justify<Side::right>},
    {"zfill", "width", &zfill},
    {"expandtabs", "tabsize?", &expand_tabs},
};

}  // namespace

std::span<const Builtin> string_layout_methods() {
  return kMethods;
}

}  // namespace troupe::model::jinja
