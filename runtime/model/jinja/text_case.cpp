#include "troupe/model/jinja/text_case.h"

#include "troupe/model/jinja/unicode.h"

#include <string_view>

namespace troupe::model::jinja {
namespace {

/// The text with every character replaced by what `convert` makes of it.
template <class Convert>
Text convert_characters(const Text& text, Convert convert) {
  Text converted;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text.view(), at);
    if (character.code > 0x10FFFF) {
      converted.append(text, at, at + character.size);
    } else {
      converted.append(convert(character.code), text.trusted_at(at));
    }
    at += character.size;
  }
  return converted;
}

bool separates_words(char32_t code) {
  return is_space(code) || (code < 0x80 && std::string_view("-({[<").find(
                                               static_cast<char>(code)) != std::string_view::npos);
}

}  // namespace

Text upper(const Text& text) {
  return convert_characters(text, to_upper);
}

Text lower(const Text& text) {
  return convert_characters(text, to_lower);
}

Text swap_case(const Text& text) {
  return convert_characters(text,
                            [](char32_t c) { return is_upper(c) ? to_lower(c) : to_upper(c); });
}

Text capitalize(const Text& text) {
  bool first = true;
  return convert_characters(text, [&first](char32_t c) {
    const bool raise = first;
    first = false;
    return raise ? to_title(c) : to_lower(c);
  });
}

Text title(const Text& text) {
  bool in_word = false;
  return convert_characters(text, [&in_word](char32_t c) {
    const bool follows = in_word;
    in_word = is_alpha(c);
    return follows ? to_lower(c) : to_title(c);
  });
}

Text title_words(const Text& text) {
  bool in_word = false;
  return convert_characters(text, [&in_word](char32_t c) {
    const bool follows = in_word;
    in_word = !separates_words(c);
    return follows ? to_lower(c) : to_title(c);
  });
}

}  // namespace troupe::model::jinja
