#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/string_checks.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

namespace troupe::model::jinja {
namespace {

/// Whether all characters, of which there is at least one, have a property.
template <bool (*Holds)(char32_t)>
bool all(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text, at);
    if (!Holds(character.code)) return false;
    at += character.size;
  }
  return !text.empty();
}

bool is_alphanumeric(char32_t code) {
  return is_alpha(code) || is_digit(code);
}

bool is_ascii(std::string_view text) {
  for (const char byte : text)
    if (static_cast<unsigned char>(byte) >= 0x80) return false;
  return true;
}

bool is_title(std::string_view text) {
  bool in_word = false;
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text, at);
    const bool upper = is_upper(character.code);
    const bool lower = is_lower(character.code);
    if ((upper && in_word) || (lower && !in_word)) return false;
    in_word = upper || lower;
    any = any || in_word;
    at += character.size;
  }
  return any;
}

template <bool (*Holds)(std::string_view)>
Result<Var> check(Call& call) {
  JINJA_CHECK(call.render.spend(self_text(call).size() / 16));
  return Var::boolean(Holds(self_text(call).view()));
}

constexpr Builtin kMethods[] = {
    {"isalpha", "", &check<all<is_alpha>>},   {"isdigit", "", &check<all<is_digit>>},
    {"isdecimal", "", &check<all<is_digit>>}, {"isnumeric", "", &check<all<is_digit>>},
    {"isspace", "", &check<all<is_space>>},   {"isalnum", "", &check<all<is_alphanumeric>>},
    {"isupper", "", &check<is_upper_text>},   {"islower", "", &check<is_lower_text>},
    {"istitle", "", &check<is_title>},        {"isascii", "", &check<is_ascii>},
};

}  // namespace

bool is_upper_text(std::string_view text) {
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text, at);
    if (is_lower(character.code)) return false;
    any = any || is_upper(character.code);
    at += character.size;
  }
  return any;
}

bool is_lower_text(std::string_view text) {
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text, at);
    if (is_upper(character.code)) return false;
    any = any || is_lower(character.code);
    at += character.size;
  }
  return any;
}

std::span<const Builtin> string_check_methods() {
  return kMethods;
}

}  // namespace troupe::model::jinja
