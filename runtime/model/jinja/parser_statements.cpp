#include "troupe/model/jinja/parser.h"
#include "troupe/model/jinja/try.h"

#include <string>

namespace troupe::model::jinja {

Result<const Statement*> Parser::parse_if(const Token& opener) {
  auto* node = make<IfStatement>(opener.at);
  ++conditions_;
  while (true) {
    JINJA_TRY(condition, parse_tuple());
    JINJA_CHECK(expect(TokenKind::block_end));
    JINJA_TRY(block, parse_block({"elif", "else", "endif"}, opener));
    JINJA_CHECK(note_child(*node, condition));
    JINJA_CHECK(note_children(*node, block));
    node->branches.emplace_back(condition, std::move(block));
    if (!accept_name("elif")) break;
  }
  if (accept_name("else")) {
    JINJA_CHECK(expect(TokenKind::block_end));
    JINJA_TRY(block, parse_block({"endif"}, opener));
    node->otherwise = std::move(block);
    JINJA_CHECK(note_children(*node, node->otherwise));
  }
  --conditions_;
  ++at_;
  JINJA_CHECK(expect(TokenKind::block_end));
  return node;
}

Result<const Statement*> Parser::parse_for(const Token& opener) {
  auto* node = make<ForStatement>(opener.at);
  node->loop = intern("loop");
  JINJA_TRY(target, parse_target(false));
  node->target = std::move(target);
  if (!accept_name("in")) return unexpected("'in'");
  JINJA_TRY(iterable, parse_tuple(false));
  node->iterable = iterable;
  if (accept_name("if")) {
    JINJA_TRY(filter, parse_expression());
    node->filter = filter;
  }
  node->recursive = accept_name("recursive");
  JINJA_CHECK(expect(TokenKind::block_end));
  ++loops_;
  JINJA_TRY(body, parse_block({"else", "endfor"}, opener));
  --loops_;
  node->body = std::move(body);
  if (accept_name("else")) {
    JINJA_CHECK(expect(TokenKind::block_end));
    JINJA_TRY(otherwise, parse_block({"endfor"}, opener));
    node->otherwise = std::move(otherwise);
  }
  ++at_;
  JINJA_CHECK(note_child(*node, node->iterable));
  JINJA_CHECK(note_child(*node, node->filter));
  JINJA_CHECK(note_children(*node, node->body));
  JINJA_CHECK(note_children(*node, node->otherwise));
  JINJA_CHECK(expect(TokenKind::block_end));
  return node;
}

Result<const Statement*> Parser::parse_jump(const Token& opener) {
  if (loops_ == 0) return error(opener.at, "'" + opener.text + "' stands outside of a for block");
  auto* node = make<JumpStatement>(opener.at);
  node->flow = opener.text == "break" ? Flow::loop_break : Flow::loop_continue;
  JINJA_CHECK(expect(TokenKind::block_end));
  return node;
}

Result<const Statement*> Parser::parse_set(const Token& opener) {
  JINJA_TRY(target, parse_target(true));
  if (accept_symbol("=")) {
    auto* node = make<SetStatement>(opener.at);
    JINJA_TRY(value, parse_tuple());
    node->target = std::move(target);
    node->value = value;
    JINJA_CHECK(note_child(*node, value));
    JINJA_CHECK(expect(TokenKind::block_end));
    return node;
  }
  auto* node = make<CaptureStatement>(opener.at);
  node->target = std::move(target);
  if (accept_symbol("|")) {
    JINJA_TRY(filters, parse_filters());
    node->filters = std::move(filters);
  } else if (current().kind != TokenKind::block_end) {
    return unexpected("'=' or '%}'");
  }
  JINJA_CHECK(expect(TokenKind::block_end));
  JINJA_TRY(body, parse_body("endset", opener));
  node->body = std::move(body);
  for (const FilterExpression* filter : node->filters)
    JINJA_CHECK(note_child(*node, filter));
  JINJA_CHECK(note_children(*node, node->body));
  return node;
}

Result<const Statement*> Parser::parse_filter_block(const Token& opener) {
  auto* node = make<CaptureStatement>(opener.at);
  node->writes = true;
  JINJA_TRY(filters, parse_filters());
  node->filters = std::move(filters);
  JINJA_CHECK(expect(TokenKind::block_end));
  JINJA_TRY(body, parse_body("endfilter", opener));
  node->body = std::move(body);
  for (const FilterExpression* filter : node->filters)
    JINJA_CHECK(note_child(*node, filter));
  JINJA_CHECK(note_children(*node, node->body));
  return node;
}

Result<const Statement*> Parser::parse_with(const Token& opener) {
  auto* node = make<WithStatement>(opener.at);
  while (current().kind != TokenKind::block_end) {
    if (!node->variables.empty()) JINJA_CHECK(expect_symbol(","));
    JINJA_TRY(target, parse_single_target(false));
    JINJA_CHECK(expect_symbol("="));
    JINJA_TRY(value, parse_expression());
    JINJA_CHECK(note_child(*node, value));
    node->variables.emplace_back(std::move(target), value);
  }
  JINJA_CHECK(expect(TokenKind::block_end));
  JINJA_TRY(body, parse_body("endwith", opener));
  node->body = std::move(body);
  JINJA_CHECK(note_children(*node, node->body));
  return node;
}

Result<const Statement*> Parser::parse_generation(const Token& opener) {
  auto* node = make<WithStatement>(opener.at);
  JINJA_CHECK(expect(TokenKind::block_end));
  JINJA_TRY(body, parse_body("endgeneration", opener));
  node->body = std::move(body);
  JINJA_CHECK(note_children(*node, node->body));
  return node;
}

Result<const Statement*> Parser::parse_named_block(const Token& opener) {
  auto* node = make<WithStatement>(opener.at);
  JINJA_TRY(name, expect_name("the name of the block"));
  JINJA_CHECK(expect(TokenKind::block_end));
  JINJA_TRY(body, parse_block({"endblock"}, opener));
  ++at_;
  accept_name(name);
  JINJA_CHECK(expect(TokenKind::block_end));
  node->body = std::move(body);
  JINJA_CHECK(note_children(*node, node->body));
  return node;
}

}  // namespace troupe::model::jinja
