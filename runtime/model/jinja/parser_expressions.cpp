#include "troupe/model/jinja/parser.h"
#include "troupe/model/jinja/try.h"

#include <string>

namespace troupe::model::jinja {
namespace {

/// The operator that a token is among the binary operators of one level; false when it is none.
bool binary_operator(const Token& token,
                     std::initializer_list<std::pair<std::string_view, BinaryOperator>> level,
                     BinaryOperator& op) {
  for (const auto& [symbol, meaning] : level)
    if (token.is_symbol(symbol)) {
      op = meaning;
      return true;
    }
  return false;
}

}  // namespace

Result<const Expression*> Parser::parse_expression() {
  JINJA_CHECK(deeper());
  JINJA_TRY(first, parse_or());
  const Expression* expression = first;
  while (current().is_name("if")) {
    auto* node = make<ConditionalExpression>(current().at);
    ++at_;
    ++conditions_;
    JINJA_TRY(condition, parse_or());
    node->then = expression;
    node->condition = condition;
    if (accept_name("else")) {
      JINJA_TRY(otherwise, parse_expression());
      node->otherwise = otherwise;
    }
    --conditions_;
    for (const Expression* child : {node->then, node->condition, node->otherwise})
      JINJA_CHECK(note_child(*node, child));
    expression = node;
  }
  --nesting_;
  return expression;
}

Result<const Expression*> Parser::parse_tuple(bool conditional) {
  const auto begin = current().at;
  JINJA_TRY(first, conditional ? parse_expression() : parse_or());
  if (!current().is_symbol(",")) return first;
  auto* tuple = make<ListExpression>(begin);
  tuple->kind = SequenceKind::tuple;
  tuple->items.push_back(first);
  while (accept_symbol(",")) {
    const auto kind = current().kind;
    if (kind == TokenKind::block_end || kind == TokenKind::variable_end || current().is_symbol(")"))
      break;
    JINJA_TRY(next, conditional ? parse_expression() : parse_or());
    tuple->items.push_back(next);
  }
  for (const Expression* item : tuple->items)
    JINJA_CHECK(note_child(*tuple, item));
  return tuple;
}

Result<const Expression*> Parser::parse_or() {
  JINJA_TRY(left, parse_and());
  while (current().is_name("or")) {
    auto* node = make<LogicExpression>(current().at);
    ++at_;
    JINJA_TRY(right, parse_and());
    node->is_and = false;
    node->left = left;
    node->right = right;
    JINJA_CHECK(note_child(*node, left));
    JINJA_CHECK(note_child(*node, right));
    left = node;
  }
  return left;
}

Result<const Expression*> Parser::parse_and() {
  JINJA_TRY(left, parse_not());
  while (current().is_name("and")) {
    auto* node = make<LogicExpression>(current().at);
    ++at_;
    JINJA_TRY(right, parse_not());
    node->left = left;
    node->right = right;
    JINJA_CHECK(note_child(*node, left));
    JINJA_CHECK(note_child(*node, right));
    left = node;
  }
  return left;
}

Result<const Expression*> Parser::parse_not() {
  if (!current().is_name("not")) return parse_compare();
  JINJA_CHECK(deeper());
  auto* node = make<NotExpression>(current().at);
  ++at_;
  JINJA_TRY(operand, parse_not());
  --nesting_;
  node->operand = operand;
  JINJA_CHECK(note_child(*node, operand));
  return node;
}

bool Parser::at_compare_operator(CompareOperator& op, std::size_t& length) const {
  static constexpr std::pair<std::string_view, CompareOperator> kSymbols[] = {
      {"==", CompareOperator::equal},  {"!=", CompareOperator::not_equal},
      {"<", CompareOperator::less},    {"<=", CompareOperator::less_equal},
      {">", CompareOperator::greater}, {">=", CompareOperator::greater_equal},
  };
  length = 1;
  for (const auto& [symbol, meaning] : kSymbols)
    if (current().is_symbol(symbol)) {
      op = meaning;
      return true;
    }
  if (current().is_name("in")) {
    op = CompareOperator::in;
    return true;
  }
  length = 2;
  op = CompareOperator::not_in;
  return current().is_name("not") && ahead().is_name("in");
}

Result<const Expression*> Parser::parse_compare() {
  JINJA_TRY(first, parse_sum());
  CompareOperator op{};
  std::size_t length = 0;
  if (!at_compare_operator(op, length)) return first;
  auto* node = make<CompareExpression>(current().at);
  node->first = first;
  JINJA_CHECK(note_child(*node, first));
  while (at_compare_operator(op, length)) {
    at_ += length;
    JINJA_TRY(operand, parse_sum());
    node->rest.emplace_back(op, operand);
    JINJA_CHECK(note_child(*node, operand));
  }
  return node;
}

Result<const Expression*> Parser::parse_sum() {
  JINJA_TRY(left, parse_concat());
  BinaryOperator op{};
  while (binary_operator(current(), {{"+", BinaryOperator::add}, {"-", BinaryOperator::subtract}},
                         op)) {
    auto* node = make<BinaryExpression>(current().at);
    ++at_;
    JINJA_TRY(right, parse_concat());
    node->op = op;
    node->left = left;
    node->right = right;
    JINJA_CHECK(note_child(*node, left));
    JINJA_CHECK(note_child(*node, right));
    left = node;
  }
  return left;
}

Result<const Expression*> Parser::parse_concat() {
  JINJA_TRY(first, parse_product());
  if (!current().is_symbol("~")) return first;
  auto* node = make<ConcatExpression>(current().at);
  node->parts.push_back(first);
  while (accept_symbol("~")) {
    JINJA_TRY(part, parse_product());
    node->parts.push_back(part);
  }
  for (const Expression* part : node->parts)
    JINJA_CHECK(note_child(*node, part));
  return node;
}

Result<const Expression*> Parser::parse_product() {
  JINJA_TRY(left, parse_power());
  BinaryOperator op{};
  while (binary_operator(current(),
                         {{"*", BinaryOperator::multiply},
                          {"/", BinaryOperator::divide},
                          {"//", BinaryOperator::floor_divide},
                          {"%", BinaryOperator::modulo}},
                         op)) {
    auto* node = make<BinaryExpression>(current().at);
    ++at_;
    JINJA_TRY(right, parse_power());
    node->op = op;
    node->left = left;
    node->right = right;
    JINJA_CHECK(note_child(*node, left));
    JINJA_CHECK(note_child(*node, right));
    left = node;
  }
  return left;
}

Result<const Expression*> Parser::parse_power() {
  JINJA_TRY(left, parse_unary());
  while (current().is_symbol("**")) {
    auto* node = make<BinaryExpression>(current().at);
    ++at_;
    JINJA_TRY(right, parse_unary());
    node->op = BinaryOperator::power;
    node->left = left;
    node->right = right;
    JINJA_CHECK(note_child(*node, left));
    JINJA_CHECK(note_child(*node, right));
    left = node;
  }
  return left;
}

Result<const Expression*> Parser::parse_unary(bool with_filters) {
  JINJA_CHECK(deeper());
  const Expression* expression = nullptr;
  if (current().is_symbol("-")) {
    auto* node = make<NegateExpression>(current().at);
    ++at_;
    JINJA_TRY(operand, parse_unary(false));
    node->operand = operand;
    JINJA_CHECK(note_child(*node, operand));
    expression = node;
  } else if (accept_symbol("+")) {
    JINJA_TRY(operand, parse_unary(false));
    expression = operand;
  } else {
    JINJA_TRY(primary, parse_primary());
    expression = primary;
  }
  JINJA_TRY(postfix, parse_postfix(expression));
  --nesting_;
  if (!with_filters) return postfix;
  return parse_filters_and_tests(postfix);
}

}  // namespace troupe::model::jinja
