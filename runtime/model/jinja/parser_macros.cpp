#include "troupe/model/jinja/parser.h"
#include "troupe/model/jinja/try.h"

#include <string>

namespace troupe::model::jinja {
namespace {

bool is_constant_name(const std::string& name) {
  return name == "true" || name == "True" || name == "false" || name == "False" || name == "none" ||
         name == "None";
}

}  // namespace

Result<Target> Parser::parse_single_target(bool with_attribute) {
  Target target;
  if (accept_symbol("(")) {
    JINJA_CHECK(deeper());
    JINJA_TRY(inner, parse_target(with_attribute));
    --nesting_;
    JINJA_CHECK(expect_symbol(")"));
    return std::move(inner);
  }
  const Token& token = current();
  if (token.kind == TokenKind::name && is_constant_name(token.text))
    return error(token.at, "cannot assign to '" + token.text + "'");
  JINJA_TRY(name, expect_name("a name to assign to"));
  target.symbol = intern(name);
  if (with_attribute && accept_symbol(".")) {
    JINJA_TRY(attribute, expect_name("the name of an attribute"));
    target.attribute = attribute;
  }
  return target;
}

Result<Target> Parser::parse_target(bool with_attribute) {
  JINJA_TRY(first, parse_single_target(with_attribute));
  if (!current().is_symbol(",")) return std::move(first);
  Target target;
  target.parts.push_back(std::move(first));
  while (accept_symbol(",")) {
    const bool more = current().kind == TokenKind::name || current().is_symbol("(");
    if (!more || current().is_name("in")) break;
    JINJA_TRY(next, parse_single_target(with_attribute));
    target.parts.push_back(std::move(next));
  }
  return target;
}

Result<void> Parser::parse_parameters(MacroDefinition& macro) {
  JINJA_CHECK(expect_symbol("("));
  while (!current().is_symbol(")")) {
    if (!macro.parameters.empty()) JINJA_CHECK(expect_symbol(","));
    if (current().is_symbol(")")) break;
    const auto at = current().at;
    JINJA_TRY(name, expect_name("the name of a parameter"));
    MacroDefinition::Parameter parameter{intern(name), name, nullptr};
    if (accept_symbol("=")) {
      JINJA_TRY(fallback, parse_expression());
      parameter.fallback = fallback;
    } else if (!macro.parameters.empty() && macro.parameters.back().fallback) {
      return error(at,
                   "the parameter '" + name + "' needs a default, since the one before it has one");
    }
    macro.parameters.push_back(std::move(parameter));
  }
  return expect_symbol(")");
}

Result<void> Parser::parse_macro_body(MacroDefinition& macro, std::string_view end,
                                      const Token& opener) {
  const int outer_loops = std::exchange(loops_, 0);
  macros_.emplace_back();
  JINJA_TRY(body, parse_body(end, opener));
  macro.body = std::move(body);
  const MacroUse use = macros_.back();
  macros_.pop_back();
  loops_ = outer_loops;
  if (use.varargs) macro.varargs = intern("varargs");
  if (use.kwargs) macro.kwargs = intern("kwargs");
  if (use.caller) macro.caller = intern("caller");
  return {};
}

Result<const Statement*> Parser::parse_macro(const Token& opener) {
  auto* node = make<MacroStatement>(opener.at);
  JINJA_TRY(name, expect_name("the name of the macro"));
  node->macro.name = name;
  node->symbol = intern(name);
  JINJA_CHECK(parse_parameters(node->macro));
  JINJA_CHECK(expect(TokenKind::block_end));
  JINJA_CHECK(parse_macro_body(node->macro, "endmacro", opener));
  for (const auto& parameter : node->macro.parameters)
    JINJA_CHECK(note_child(*node, parameter.fallback));
  JINJA_CHECK(note_children(*node, node->macro.body));
  return node;
}

Result<const Statement*> Parser::parse_call_block(const Token& opener) {
  auto* node = make<CallStatement>(opener.at);
  node->caller.name = "caller";
  if (current().is_symbol("(")) JINJA_CHECK(parse_parameters(node->caller));
  const auto at = current().at;
  JINJA_TRY(expression, parse_expression());
  node->call = dynamic_cast<const CallExpression*>(expression);
  if (!node->call) return error(at, "expected the call of a macro");
  JINJA_CHECK(expect(TokenKind::block_end));
  JINJA_CHECK(parse_macro_body(node->caller, "endcall", opener));
  JINJA_CHECK(note_child(*node, node->call));
  JINJA_CHECK(note_children(*node, node->caller.body));
  return node;
}

}  // namespace troupe::model::jinja
