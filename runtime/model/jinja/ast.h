#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/scope.h"
#include "troupe/model/jinja/source_text.h"
#include "troupe/model/jinja/var.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::model::jinja {

class Render;

/// Where a node is evaluated: its variables, and the text that the blocks write to.
struct Frame {
  Render& render;
  Scope* scope = nullptr;
  Text* out = nullptr;
};

/// How a statement ended.
enum class Flow : std::uint8_t { next, loop_break, loop_continue };

/// A node of the parsed template. All nodes belong to the Template; they point at each other.
struct Node {
  virtual ~Node() = default;
  /// Where it starts in the source, in bytes.
  std::size_t at = 0;
  /// Nodes on the longest way down from here, this one included.
  std::size_t height = 1;
};

struct Expression : Node {
  virtual Result<Var> evaluate(Frame& frame) const = 0;
};

struct Statement : Node {
  virtual Result<Flow> execute(Frame& frame) const = 0;
};

using Block = std::vector<const Statement*>;

/// What stands between the parentheses of a call, a filter or a test.
struct Arguments {
  std::vector<const Expression*> positional;
  std::vector<std::pair<std::string, const Expression*>> keywords;
  const Expression* unpacked_list = nullptr;     // *expression
  const Expression* unpacked_mapping = nullptr;  // **expression
};

/// A parsed template.
class Template {
 public:
  /// Errors: invalid_argument, "line:column: " and what was found and expected.
  static Result<std::shared_ptr<const Template>> parse(std::string_view source);

  explicit Template(std::string_view source) : source_(source) {}

  const SourceText& source() const { return source_; }
  const Block& body() const { return body_; }
  /// All names of the template; a Symbol is an index into it.
  const std::vector<std::string>& names() const { return names_; }
  /// The symbol of a name; -1 when the template does not use it.
  Symbol find_name(const std::string& name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? -1 : found->second;
  }

 private:
  friend class Parser;

  SourceText source_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Symbol> symbols_;
  Block body_;
};

}  // namespace troupe::model::jinja
