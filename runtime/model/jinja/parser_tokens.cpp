#include "troupe/model/jinja/parser.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <string>

namespace troupe::model::jinja {
namespace {

/// Parentheses, brackets, operators and blocks inside each other.
constexpr std::size_t kMaxNesting = 200;
/// Nodes on one way down the tree; a sum of n terms is n nodes high.
constexpr std::size_t kMaxHeight = 400;

std::string kind_words(TokenKind kind) {
  Token token;
  token.kind = kind;
  return describe(token);
}

}  // namespace

bool Parser::accept_symbol(std::string_view symbol) {
  if (!current().is_symbol(symbol)) return false;
  ++at_;
  return true;
}

bool Parser::accept_name(std::string_view name) {
  if (!current().is_name(name)) return false;
  ++at_;
  return true;
}

Result<void> Parser::expect_symbol(std::string_view symbol) {
  if (accept_symbol(symbol)) return {};
  return unexpected("'" + std::string(symbol) + "'");
}

Result<void> Parser::expect(TokenKind kind) {
  if (current().kind != kind) return unexpected(kind_words(kind));
  if (kind != TokenKind::end) ++at_;
  return {};
}

Result<std::string> Parser::expect_name(std::string_view what) {
  if (current().kind != TokenKind::name) return unexpected(std::string(what));
  return tokens_[at_++].text;
}

tl::unexpected<Error> Parser::unexpected(const std::string& expected) const {
  return error(current().at, "expected " + expected + ", found " + describe(current()));
}

tl::unexpected<Error> Parser::error(std::size_t at, const std::string& message) const {
  return template_.source_.error(at, message);
}

Symbol Parser::intern(const std::string& name) {
  const auto [entry, added] =
      template_.symbols_.try_emplace(name, static_cast<Symbol>(template_.names_.size()));
  if (added) template_.names_.push_back(name);
  return entry->second;
}

Var Parser::constant(std::string text) {
  return Var::string(
      std::make_shared<const StringBody>(Text(std::move(text), true), false, nullptr));
}

Result<void> Parser::note_child(Node& parent, const Node* child) {
  if (!child) return {};
  parent.height = std::max(parent.height, child->height + 1);
  if (parent.height <= kMaxHeight) return {};
  return error(parent.at, "this is nested deeper than " + std::to_string(kMaxHeight) + " levels");
}

Result<void> Parser::note_children(Node& parent, const Arguments& arguments) {
  for (const Expression* argument : arguments.positional)
    JINJA_CHECK(note_child(parent, argument));
  for (const auto& keyword : arguments.keywords)
    JINJA_CHECK(note_child(parent, keyword.second));
  JINJA_CHECK(note_child(parent, arguments.unpacked_list));
  return note_child(parent, arguments.unpacked_mapping);
}

Result<void> Parser::note_children(Node& parent, const Block& block) {
  for (const Statement* statement : block)
    JINJA_CHECK(note_child(parent, statement));
  return {};
}

Result<void> Parser::deeper() {
  if (++nesting_ <= kMaxNesting) return {};
  return error(current().at,
               "this is nested deeper than " + std::to_string(kMaxNesting) + " levels");
}

}  // namespace troupe::model::jinja
