#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/source_text.h"
#include "troupe/model/jinja/token.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe::model::jinja {

/// Cuts a template's source into tokens, with Jinja's rules for white space around tags under
/// trim_blocks and lstrip_blocks.
class Lexer {
 public:
  explicit Lexer(const SourceText& source) : source_(source), text_(source.text()) {}

  /// All tokens, the last one of kind `end`. Errors: invalid_argument, "line:column: ...".
  Result<std::vector<Token>> tokens();

 private:
  // Between tags (lexer.cpp).
  Result<void> read_tag(std::size_t begin);
  void add_data(std::size_t begin, std::size_t end, char sign, bool strip_line_start);
  Result<void> skip_comment();
  Result<bool> read_raw();
  /// Skips white space for the sign in front of a tag's end, or one newline after a block.
  void after_tag(char sign, bool block);

  // Inside a tag (tag_lexer.cpp).
  Result<void> read_expression(TokenKind end_kind, std::string_view closing);
  bool read_end(TokenKind end_kind, std::string_view closing);
  Result<void> read_token();
  void read_name();
  Result<void> read_number();
  Result<void> read_string();
  Result<void> read_symbol();
  void skip_space();

  std::string_view rest() const { return text_.substr(at_); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void add(TokenKind kind, std::size_t offset, std::string text = {});

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
  std::vector<char> open_brackets_;
  bool line_start_ = true;  // the last tag ended a line
};

/// The content of a string literal between its quotes, with Python's escapes.
/// Errors: the message of a malformed escape.
Result<std::string> unescape(std::string_view literal);

}  // namespace troupe::model::jinja
