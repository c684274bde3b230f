#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/parser.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <string>

namespace troupe::model::jinja {
namespace {

/// Words of the language that cannot be variables.
bool is_reserved(const std::string& name) {
  static constexpr std::string_view kWords[] = {"and", "or",   "not",  "in", "is",
                                                "if",  "elif", "else", "for"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

}  // namespace

Result<const Expression*> Parser::parse_primary() {
  const Token& token = current();
  if (token.kind == TokenKind::name) return parse_name();
  if (token.kind == TokenKind::string) return parse_strings();
  if (token.kind == TokenKind::integer || token.kind == TokenKind::real) {
    ++at_;
    const bool whole = token.kind == TokenKind::integer;
    return make<LiteralExpression>(
        token.at, whole ? Var::integer(token.integer, true) : Var::real(token.real, true));
  }
  if (token.is_symbol("(")) return parse_parentheses();
  if (token.is_symbol("[")) return parse_list();
  if (token.is_symbol("{")) return parse_dict();
  return unexpected("an expression");
}

Result<const Expression*> Parser::parse_name() {
  const Token& token = current();
  if (is_reserved(token.text)) return unexpected("an expression");
  ++at_;
  const auto& name = token.text;
  if (name == "true" || name == "True")
    return make<LiteralExpression>(token.at, Var::boolean(true, true));
  if (name == "false" || name == "False")
    return make<LiteralExpression>(token.at, Var::boolean(false, true));
  if (name == "none" || name == "None") return make<LiteralExpression>(token.at, Var::none(true));
  for (auto& macro : macros_) {
    macro.varargs |= name == "varargs";
    macro.kwargs |= name == "kwargs";
    macro.caller |= name == "caller";
  }
  return make<NameExpression>(token.at, intern(name));
}

Result<const Expression*> Parser::parse_strings() {
  const auto begin = current().at;
  std::string text;
  while (current().kind == TokenKind::string)
    text += tokens_[at_++].text;
  return make<LiteralExpression>(begin, constant(std::move(text)));
}

Result<const Expression*> Parser::parse_parentheses() {
  const auto begin = current().at;
  ++at_;
  if (accept_symbol(")")) {
    auto* empty = make<ListExpression>(begin);
    empty->kind = SequenceKind::tuple;
    return empty;
  }
  JINJA_TRY(inner, parse_tuple());
  JINJA_CHECK(expect_symbol(")"));
  return inner;
}

Result<const Expression*> Parser::parse_list() {
  auto* list = make<ListExpression>(current().at);
  ++at_;
  while (!current().is_symbol("]")) {
    if (!list->items.empty()) JINJA_CHECK(expect_symbol(","));
    if (current().is_symbol("]")) break;
    JINJA_TRY(value, parse_expression());
    list->items.push_back(value);
    JINJA_CHECK(note_child(*list, value));
  }
  ++at_;
  return list;
}

Result<const Expression*> Parser::parse_dict() {
  auto* dict = make<DictExpression>(current().at);
  ++at_;
  while (!current().is_symbol("}")) {
    if (!dict->entries.empty()) JINJA_CHECK(expect_symbol(","));
    if (current().is_symbol("}")) break;
    JINJA_TRY(key, parse_expression());
    JINJA_CHECK(expect_symbol(":"));
    JINJA_TRY(value, parse_expression());
    dict->entries.emplace_back(key, value);
    JINJA_CHECK(note_child(*dict, key));
    JINJA_CHECK(note_child(*dict, value));
  }
  ++at_;
  return dict;
}

Result<const Expression*> Parser::parse_postfix(const Expression* operand) {
  while (true) {
    const Token& token = current();
    if (!token.is_symbol(".") && !token.is_symbol("[") && !token.is_symbol("(")) return operand;
    JINJA_TRY(next, token.is_symbol(".")   ? parse_attribute(operand)
                    : token.is_symbol("[") ? parse_subscript(operand)
                                           : parse_call(operand));
    operand = next;
  }
}

Result<const Expression*> Parser::parse_attribute(const Expression* operand) {
  const auto begin = current().at;
  ++at_;
  if (current().kind == TokenKind::integer) {
    auto* node = make<ItemExpression>(begin);
    node->object = operand;
    node->key = make<LiteralExpression>(current().at, Var::integer(current().integer, true));
    ++at_;
    JINJA_CHECK(note_child(*node, operand));
    return node;
  }
  JINJA_TRY(name, expect_name("the name of an attribute"));
  auto* node = make<AttributeExpression>(begin);
  node->object = operand;
  node->name = constant(name);
  JINJA_CHECK(note_child(*node, operand));
  return node;
}

Result<const Expression*> Parser::parse_subscript(const Expression* operand) {
  const auto begin = current().at;
  ++at_;
  const Expression* key = nullptr;
  if (!current().is_symbol(":")) {
    JINJA_TRY(first, parse_tuple());
    key = first;
  }
  if (current().is_symbol(":")) return parse_slice(operand, key);
  auto* node = make<ItemExpression>(begin);
  node->object = operand;
  node->key = key;
  JINJA_CHECK(note_child(*node, operand));
  JINJA_CHECK(note_child(*node, key));
  JINJA_CHECK(expect_symbol("]"));
  return node;
}

Result<const Expression*> Parser::parse_slice(const Expression* operand, const Expression* start) {
  auto* node = make<SliceExpression>(current().at);
  node->object = operand;
  node->bounds[0] = start;
  for (int i = 1; i < 3 && accept_symbol(":"); ++i) {
    if (current().is_symbol(":") || current().is_symbol("]")) continue;
    JINJA_TRY(bound, parse_expression());
    node->bounds[i] = bound;
  }
  JINJA_CHECK(note_child(*node, operand));
  for (const Expression* bound : node->bounds)
    JINJA_CHECK(note_child(*node, bound));
  JINJA_CHECK(expect_symbol("]"));
  return node;
}

Result<const Expression*> Parser::parse_call(const Expression* operand) {
  auto* node = make<CallExpression>(current().at);
  node->callee = operand;
  JINJA_TRY(arguments, parse_arguments());
  node->arguments = std::move(arguments);
  JINJA_CHECK(note_child(*node, operand));
  JINJA_CHECK(note_children(*node, node->arguments));
  return node;
}

}  // namespace troupe::model::jinja
