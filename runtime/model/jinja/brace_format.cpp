#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/format_spec.h"
#include "troupe/model/jinja/percent_format.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

#include <charconv>
#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

constexpr auto kNone = std::string_view::npos;

/// A replacement field between its braces: name!conversion:spec.
struct Field {
  std::string_view name;
  char conversion = '\0';
  std::string_view spec;
};

Result<Field> parse_field(std::string_view text) {
  Field field;
  const auto end = std::min(text.find_first_of("!:"), text.size());
  field.name = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with('!')) {
    if (text.size() < 2 || std::string_view("rsa").find(text[1]) == kNone ||
        (text.size() > 2 && text[2] != ':'))
      return fault("expected !r, !s or !a in a replacement field");
    field.conversion = text[1];
    text.remove_prefix(2);
  }
  if (text.starts_with(':')) field.spec = text.substr(1);
  return field;
}

/// The end of the field that was opened in front of `at`; npos when it has none.
std::size_t field_end(std::string_view text, std::size_t at) {
  int open = 1;
  for (; at < text.size(); ++at) {
    if (text[at] == '{') ++open;
    if (text[at] == '}' && --open == 0) return at;
  }
  return kNone;
}

class BraceFormatter {
 public:
  explicit BraceFormatter(Call& call) : call_(call) {}

  Result<void> run(const Text& format, Text& out) {
    const auto text = format.view();
    for (std::size_t at = 0; at < text.size();) {
      const auto brace = std::min(text.find_first_of("{}", at), text.size());
      out.append(format, at, brace);
      if (brace == text.size()) break;
      JINJA_CHECK(call_.render.heap().check_text(out.size()));
      const bool doubled = brace + 1 < text.size() && text[brace + 1] == text[brace];
      if (doubled) {
        out.append(format, brace, brace + 1);
        at = brace + 2;
        continue;
      }
      if (text[brace] == '}') return fault("Single '}' encountered in format string");
      const auto end = field_end(text, brace + 1);
      if (end == kNone) return fault("expected '}' before end of string");
      JINJA_CHECK(write_field(format.slice(brace + 1, end), out));
      at = end + 1;
    }
    return {};
  }

 private:
  Result<void> write_field(const Text& text, Text& out) {
    JINJA_TRY(field, parse_field(text.view()));
    JINJA_TRY(value, resolve(field.name));
    if (field.conversion != '\0') {
      Text shown;
      JINJA_CHECK(field.conversion == 's' ? append_str(call_.render, shown, value)
                                          : append_repr(call_.render, shown, value));
      JINJA_TRY(converted, call_.render.heap().text(std::move(shown)));
      value = converted;
    }
    Text spec_text;
    JINJA_CHECK(run_spec(field.spec, spec_text));
    if (spec_text.empty()) return append_str(call_.render, out, value);
    JINJA_TRY(spec, parse_format_spec(spec_text.view()));
    return append_formatted(call_.render, out, value, spec);
  }

  Result<void> run_spec(std::string_view spec, Text& out) {
    if (spec.find('{') == kNone) {
      out.append(spec, false);
      return {};
    }
    for (std::size_t at = 0; at < spec.size();) {
      const auto brace = std::min(spec.find('{', at), spec.size());
      out.append(spec.substr(at, brace - at), false);
      if (brace == spec.size()) break;
      const auto end = std::min(spec.find('}', brace), spec.size());
      JINJA_TRY(value, resolve(spec.substr(brace + 1, end - brace - 1)));
      JINJA_CHECK(append_str(call_.render, out, value));
      at = end + 1;
    }
    return {};
  }

  Result<Var> resolve(std::string_view name) {
    const auto end = std::min(name.find_first_of(".["), name.size());
    JINJA_TRY(value, first(name.substr(0, end)));
    name.remove_prefix(end);
    while (!name.empty()) {
      const bool index = name[0] == '[';
      const auto stop = index ? name.find(']') : std::min(name.find_first_of(".[", 1), name.size());
      if (stop == kNone) return fault("Missing ']' in format string");
      JINJA_TRY(next, step(value, name.substr(1, stop - 1), index));
      value = next;
      name.remove_prefix(std::min(stop + (index ? 1 : 0), name.size()));
    }
    return value;
  }

  Result<Var> first(std::string_view name) {
    std::size_t index = next_;
    if (name.empty()) {
      ++next_;
    } else if (std::from_chars(name.data(), name.data() + name.size(), index).ptr !=
               name.data() + name.size()) {
      for (const auto& [keyword, value] : call_.keywords)
        if (keyword == name) return value;
      return fault("the format names '" + std::string(name) + "', which was not given");
    }
    if (index < call_.args.size()) return call_.args[index];
    return fault("Replacement index " + std::to_string(index) +
                 " out of range for positional args tuple");
  }

  Result<Var> step(const Var& value, std::string_view word, bool index) {
    std::int64_t number = 0;
    const bool whole = std::from_chars(word.data(), word.data() + word.size(), number).ptr ==
                       word.data() + word.size();
    JINJA_TRY(key, index && whole ? Result<Var>(Var::integer(number))
                                  : call_.render.heap().text(std::string(word), true));
    JINJA_TRY(found, index ? item(call_.render, value, key) : attribute(call_.render, value, key));
    JINJA_CHECK(require_defined(found));
    return found;
  }

  Call& call_;
  std::size_t next_ = 0;
};

}  // namespace

Result<Var> brace_format(Call& call) {
  JINJA_CHECK(call.render.spend_bytes(self_text(call).size()));
  Text out;
  JINJA_CHECK(BraceFormatter(call).run(self_text(call), out));
  return call.render.heap().text(std::move(out));
}

}  // namespace troupe::model::jinja
