#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/ast.h"
#include "troupe/model/jinja/expressions.h"
#include "troupe/model/jinja/statements.h"
#include "troupe/model/jinja/token.h"

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::model::jinja {

/// Builds the nodes of a template from its tokens, with Jinja's grammar.
class Parser {
 public:
  Parser(Template& target, std::vector<Token> tokens)
      : template_(target), tokens_(std::move(tokens)) {}

  Result<void> parse();

 private:
  /// What the body of a macro was seen to use.
  struct MacroUse {
    bool varargs = false;
    bool kwargs = false;
    bool caller = false;
  };

  // Blocks and tags (parser.cpp).
  Result<Block> parse_block(std::initializer_list<std::string_view> ends, const Token& opener);
  Result<const Statement*> parse_data();
  Result<const Statement*> parse_output();
  Result<const Statement*> parse_print(const Token& opener);
  Result<const Statement*> parse_tag(const Token& opener);
  tl::unexpected<Error> unknown_tag(const Token& tag) const;
  /// Parses a body up to {% end %}, which is read too.
  Result<Block> parse_body(std::string_view end, const Token& opener);

  // One per tag (parser_statements.cpp, parser_macros.cpp). The tag's name has been read.
  Result<const Statement*> parse_if(const Token& opener);
  Result<const Statement*> parse_for(const Token& opener);
  Result<const Statement*> parse_jump(const Token& opener);
  Result<const Statement*> parse_set(const Token& opener);
  Result<const Statement*> parse_filter_block(const Token& opener);
  Result<const Statement*> parse_with(const Token& opener);
  Result<const Statement*> parse_generation(const Token& opener);
  Result<const Statement*> parse_named_block(const Token& opener);
  Result<const Statement*> parse_macro(const Token& opener);
  Result<const Statement*> parse_call_block(const Token& opener);
  Result<void> parse_parameters(MacroDefinition& macro);
  Result<void> parse_macro_body(MacroDefinition& macro, std::string_view end, const Token& opener);
  Result<std::vector<const FilterExpression*>> parse_filters();
  Result<Target> parse_target(bool with_attribute);
  Result<Target> parse_single_target(bool with_attribute);

  // Expressions, loosest binding first (parser_expressions.cpp).
  Result<const Expression*> parse_expression();
  Result<const Expression*> parse_tuple(bool conditional = true);
  Result<const Expression*> parse_or();
  Result<const Expression*> parse_and();
  Result<const Expression*> parse_not();
  Result<const Expression*> parse_compare();
  Result<const Expression*> parse_sum();
  Result<const Expression*> parse_concat();
  Result<const Expression*> parse_product();
  Result<const Expression*> parse_power();
  Result<const Expression*> parse_unary(bool with_filters = true);
  bool at_compare_operator(CompareOperator& op, std::size_t& length) const;

  // Operands and what follows them (parser_operands.cpp).
  Result<const Expression*> parse_primary();
  Result<const Expression*> parse_name();
  Result<const Expression*> parse_strings();
  Result<const Expression*> parse_parentheses();
  Result<const Expression*> parse_list();
  Result<const Expression*> parse_dict();
  Result<const Expression*> parse_postfix(const Expression* operand);
  Result<const Expression*> parse_attribute(const Expression* operand);
  Result<const Expression*> parse_subscript(const Expression* operand);
  Result<const Expression*> parse_slice(const Expression* operand, const Expression* start);
  Result<const Expression*> parse_call(const Expression* operand);
  Result<const Expression*> parse_filters_and_tests(const Expression* operand);
  Result<const FilterExpression*> parse_filter(const Expression* operand);
  Result<const Expression*> parse_test(const Expression* operand);
  Result<void> parse_test_argument(Arguments& arguments);
  Result<Arguments> parse_arguments();
  Result<void> parse_argument(Arguments& arguments);

  // Tokens and nodes (parser_tokens.cpp).
  const Token& current() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  bool accept_symbol(std::string_view symbol);
  bool accept_name(std::string_view name);
  Result<void> expect_symbol(std::string_view symbol);
  Result<void> expect(TokenKind kind);
  Result<std::string> expect_name(std::string_view what);
  tl::unexpected<Error> unexpected(const std::string& expected) const;
  tl::unexpected<Error> error(std::size_t at, const std::string& message) const;
  Symbol intern(const std::string& name);
  static Var constant(std::string text);

  /// A node of the template at that place; its children are counted by note_child.
  template <class T, class... Args>
  T* make(std::size_t at, Args&&... args) {
    auto node = std::make_unique<T>(std::forward<Args>(args)...);
    T* raw = node.get();
    raw->at = at;
    template_.nodes_.push_back(std::move(node));
    return raw;
  }
  /// Puts `child` below `parent`. Errors: invalid_argument when the tree becomes too high.
  Result<void> note_child(Node& parent, const Node* child);
  Result<void> note_children(Node& parent, const Arguments& arguments);
  Result<void> note_children(Node& parent, const Block& block);
  Result<void> deeper();

  Template& template_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<MacroUse> macros_;
  std::size_t nesting_ = 0;
  int conditions_ = 0;  // if-blocks and inline ifs around here
  int loops_ = 0;       // for-blocks around here, up to the next macro
};

}  // namespace troupe::model::jinja
