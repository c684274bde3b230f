#include "troupe/model/jinja/parser.h"

#include "troupe/model/jinja/lexer.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <string>

namespace troupe::model::jinja {
namespace {

constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string quoted(std::initializer_list<std::string_view> names) {
  std::string text;
  for (const auto name : names)
    text += (text.empty() ? "{% " : " or {% ") + std::string(name) + " %}";
  return text;
}

}  // namespace

Result<std::shared_ptr<const Template>> Template::parse(std::string_view source) {
  if (source.size() > kMaxSourceBytes)
    return fail(ErrorCode::invalid_argument, "the template has " + std::to_string(source.size()) +
                                                 " bytes; the limit is " +
                                                 std::to_string(kMaxSourceBytes));
  auto parsed = std::make_shared<Template>(source);
  JINJA_TRY(tokens, Lexer(parsed->source_).tokens());
  JINJA_CHECK(Parser(*parsed, std::move(tokens)).parse());
  return std::shared_ptr<const Template>(std::move(parsed));
}

Result<void> Parser::parse() {
  JINJA_TRY(body, parse_block({}, Token{}));
  template_.body_ = std::move(body);
  return {};
}

Result<Block> Parser::parse_block(std::initializer_list<std::string_view> ends,
                                  const Token& opener) {
  JINJA_CHECK(deeper());
  Block block;
  while (current().kind != TokenKind::end) {
    const bool tag = current().kind == TokenKind::block_begin;
    if (tag && ahead().kind == TokenKind::name && is_one_of(ahead().text, ends)) {
      ++at_;
      --nesting_;
      return block;
    }
    JINJA_TRY(statement, tag                                 ? parse_tag(ahead())
                         : current().kind == TokenKind::data ? parse_data()
                                                             : parse_output());
    block.push_back(statement);
  }
  --nesting_;
  if (ends.size() == 0) return block;
  return error(current().at, "expected " + quoted(ends) + " for the '" + opener.text +
                                 "' of line " +
                                 std::to_string(template_.source_.position(opener.at).line) +
                                 ", found the end of the template");
}

Result<Block> Parser::parse_body(std::string_view end, const Token& opener) {
  JINJA_TRY(body, parse_block({end}, opener));
  ++at_;
  JINJA_CHECK(expect(TokenKind::block_end));
  return std::move(body);
}

Result<const Statement*> Parser::parse_data() {
  auto* data = make<DataStatement>(current().at);
  data->data = std::move(tokens_[at_++].text);
  return data;
}

Result<const Statement*> Parser::parse_output() {
  const auto begin = current().at;
  ++at_;
  JINJA_TRY(expression, parse_tuple());
  JINJA_CHECK(expect(TokenKind::variable_end));
  auto* output = make<OutputStatement>(begin);
  output->expression = expression;
  JINJA_CHECK(note_child(*output, expression));
  return output;
}

Result<const Statement*> Parser::parse_print(const Token& opener) {
  JINJA_TRY(expression, parse_tuple());
  JINJA_CHECK(expect(TokenKind::block_end));
  auto* output = make<OutputStatement>(opener.at);
  output->expression = expression;
  JINJA_CHECK(note_child(*output, expression));
  return output;
}

Result<const Statement*> Parser::parse_tag(const Token& name) {
  using ParseTag = Result<const Statement*> (Parser::*)(const Token&);
  static constexpr std::pair<std::string_view, ParseTag> kTags[] = {
      {"if", &Parser::parse_if},
      {"for", &Parser::parse_for},
      {"break", &Parser::parse_jump},
      {"continue", &Parser::parse_jump},
      {"set", &Parser::parse_set},
      {"macro", &Parser::parse_macro},
      {"call", &Parser::parse_call_block},
      {"filter", &Parser::parse_filter_block},
      {"with", &Parser::parse_with},
      {"generation", &Parser::parse_generation},
      {"block", &Parser::parse_named_block},
      {"print", &Parser::parse_print},
  };
  const Token opener = name;
  ++at_;
  if (opener.kind != TokenKind::name) return unexpected("the name of a tag");
  for (const auto& [tag, parse] : kTags)
    if (opener.text == tag) {
      ++at_;
      return (this->*parse)(opener);
    }
  return unknown_tag(opener);
}

tl::unexpected<Error> Parser::unknown_tag(const Token& tag) const {
  if (is_one_of(tag.text, {"include", "import", "from", "extends"}))
    return error(tag.at, "'" + tag.text + "' is not available: a chat template is one text");
  const bool closes = tag.text.starts_with("end") || tag.text == "else" || tag.text == "elif";
  if (closes)
    return error(tag.at,
                 "'" + tag.text + "' stands where no block is open that it could belong to");
  return error(tag.at,
               "unknown tag '" + tag.text +
                   "'; expected one of: if, for, break, continue, set, macro, call, filter, with, "
                   "generation, block, print, raw");
}

}  // namespace troupe::model::jinja
