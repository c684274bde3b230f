#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::model::jinja {

enum class TokenKind : std::uint8_t {
  data,            // text outside of tags
  block_begin,     // {%
  block_end,       // %}
  variable_begin,  // {{
  variable_end,    // }}
  name,
  string,
  integer,
  real,
  symbol,  // an operator or bracket
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  /// The data, the name, the string's content or the symbol.
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  /// Where it starts in the source, in bytes.
  std::size_t at = 0;

  bool is_symbol(std::string_view symbol) const {
    return kind == TokenKind::symbol && text == symbol;
  }
  bool is_name(std::string_view name) const { return kind == TokenKind::name && text == name; }
};

/// How a message names a token: "'%}'", "the name 'endif'", "the end of the template".
std::string describe(const Token& token);

}  // namespace troupe::model::jinja
