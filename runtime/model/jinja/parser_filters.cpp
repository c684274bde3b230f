#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/parser.h"
#include "troupe/model/jinja/try.h"

#include <string>

namespace troupe::model::jinja {

Result<Arguments> Parser::parse_arguments() {
  JINJA_CHECK(expect_symbol("("));
  Arguments arguments;
  bool first = true;
  while (!current().is_symbol(")")) {
    if (!first) JINJA_CHECK(expect_symbol(","));
    first = false;
    if (current().is_symbol(")")) break;
    JINJA_CHECK(parse_argument(arguments));
  }
  ++at_;
  return arguments;
}

Result<void> Parser::parse_argument(Arguments& arguments) {
  const auto begin = current().at;
  if (current().is_symbol("*") || current().is_symbol("**")) {
    const bool mapping = current().is_symbol("**");
    ++at_;
    auto& slot = mapping ? arguments.unpacked_mapping : arguments.unpacked_list;
    if (slot) return error(begin, "a call can unpack one list and one mapping");
    JINJA_TRY(value, parse_expression());
    slot = value;
    return {};
  }
  if (current().kind == TokenKind::name && ahead().is_symbol("=")) {
    const auto name = current().text;
    at_ += 2;
    JINJA_TRY(value, parse_expression());
    arguments.keywords.emplace_back(name, value);
    return {};
  }
  if (!arguments.keywords.empty() || arguments.unpacked_list || arguments.unpacked_mapping)
    return error(begin, "an argument without a name follows one with a name");
  JINJA_TRY(value, parse_expression());
  arguments.positional.push_back(value);
  return {};
}

Result<const FilterExpression*> Parser::parse_filter(const Expression* operand) {
  const auto begin = current().at;
  JINJA_TRY(name, expect_name("the name of a filter"));
  auto* node = make<FilterExpression>(begin);
  node->input = operand;
  node->name = name;
  node->builtin = find_filter(name);
  // As in Jinja, a filter that a conditional may never reach is looked up when it is reached.
  if (!node->builtin && conditions_ == 0) return error(begin, "No filter named '" + name + "'.");
  if (current().is_symbol("(")) {
    JINJA_TRY(arguments, parse_arguments());
    node->arguments = std::move(arguments);
  }
  JINJA_CHECK(note_child(*node, operand));
  JINJA_CHECK(note_children(*node, node->arguments));
  return node;
}

Result<std::vector<const FilterExpression*>> Parser::parse_filters() {
  std::vector<const FilterExpression*> filters;
  do {
    JINJA_TRY(filter, parse_filter(nullptr));
    filters.push_back(filter);
  } while (accept_symbol("|"));
  return filters;
}

Result<const Expression*> Parser::parse_filters_and_tests(const Expression* operand) {
  while (true) {
    if (accept_symbol("|")) {
      JINJA_TRY(filter, parse_filter(operand));
      operand = filter;
    } else if (accept_name("is")) {
      JINJA_TRY(test, parse_test(operand));
      operand = test;
    } else if (current().is_symbol("(")) {
      JINJA_TRY(call, parse_call(operand));
      operand = call;
    } else {
      return operand;
    }
  }
}

Result<const Expression*> Parser::parse_test(const Expression* operand) {
  const auto begin = current().at;
  auto* node = make<TestExpression>(begin);
  node->input = operand;
  node->negated = accept_name("not");
  JINJA_TRY(name, expect_name("the name of a test"));
  node->name = name;
  node->builtin = find_test(name);
  if (!node->builtin && conditions_ == 0) return error(begin, "No test named '" + name + "'.");
  if (current().is_symbol("(")) {
    JINJA_TRY(arguments, parse_arguments());
    node->arguments = std::move(arguments);
  } else {
    JINJA_CHECK(parse_test_argument(node->arguments));
  }
  JINJA_CHECK(note_child(*node, operand));
  JINJA_CHECK(note_children(*node, node->arguments));
  return node;
}

Result<void> Parser::parse_test_argument(Arguments& arguments) {
  const Token& token = current();
  if (token.is_name("is")) return error(token.at, "tests cannot be chained with 'is'");
  bool begins = token.kind == TokenKind::string || token.kind == TokenKind::integer ||
                token.kind == TokenKind::real || token.is_symbol("[") || token.is_symbol("{");
  for (const auto word : {"else", "or", "and", "if", "in", "not"})
    if (token.is_name(word)) return {};
  begins = begins || token.kind == TokenKind::name;
  if (!begins) return {};
  JINJA_TRY(primary, parse_primary());
  JINJA_TRY(argument, parse_postfix(primary));
  arguments.positional.push_back(argument);
  return {};
}

}  // namespace troupe::model::jinja
