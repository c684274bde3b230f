#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/format_spec.h"
#include "troupe/model/jinja/json_text.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <string>

namespace troupe::model::jinja {
namespace {

Result<Var> default_value(Call& call) {
  const bool replaces =
      call.self.is_undefined() || (flag_argument(call, 1, false) && !is_true(call.self));
  if (!replaces) return call.self;
  if (call.given(0)) return call.args[0];
  return call.render.heap().text("", true);
}

Result<void> read_indent(const Call& call, JsonStyle& style) {
  if (!call.given(1) || call.args[1].is_none()) return {};
  style.item_separator = Text(",", false);
  if (call.args[1].is_string()) {
    style.indent = call.args[1].as_text();
    return {};
  }
  JINJA_TRY(width, integer_argument(call, 1, 0));
  if (width > static_cast<std::int64_t>(kMaxFormatWidth))
    return fault("an indentation above " + std::to_string(kMaxFormatWidth));
  style.indent =
      Text(std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' '), false);
  return {};
}

Result<void> read_separators(const Call& call, JsonStyle& style) {
  if (!call.given(2) || call.args[2].is_none()) return {};
  JINJA_TRY(parts, items_of(call.render, call.args[2]));
  if (parts.size() != 2 || !parts[0].is_string() || !parts[1].is_string())
    return fault("tojson takes separators=(item separator, key separator)");
  style.item_separator = parts[0].as_text();
  style.key_separator = parts[1].as_text();
  return {};
}

Result<Var> to_json(Call& call) {
  JsonStyle style;
  style.ensure_ascii = flag_argument(call, 0, false);
  JINJA_CHECK(read_indent(call, style));
  JINJA_CHECK(read_separators(call, style));
  style.sort_keys = flag_argument(call, 3, false);
  JINJA_TRY(text, json_text(call.render, call.self, style));
  return call.render.heap().text(std::move(text));
}

constexpr Builtin kFilters[] = {
    {"default", "default_value? boolean?", &default_value},
    {"d", "default_value? boolean?", &default_value},
    {"tojson", "ensure_ascii? indent? separators? sort_keys?", &to_json},
};

}  // namespace

std::span<const Builtin> value_filters() {
  return kFilters;
}

}  // namespace troupe::model::jinja
