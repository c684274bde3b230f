#include "troupe/pipeline/toml_source.h"

#include <toml++/toml.h>

#include <algorithm>
#include <utility>

namespace troupe::pipeline {
namespace {

class Reader {
 public:
  Reader(const std::string& name, Diagnostics& diagnostics)
      : name_(name), diagnostics_(diagnostics) {}

  SourceNode read(const toml::node& node) {
    SourceNode out;
    out.where = locate(node.source());
    if (const auto* table = node.as_table())
      read_table(*table, out);
    else if (const auto* array = node.as_array())
      read_array(*array, out);
    else
      out.value = read_value(node, out.where);
    return out;
  }

  SourceLocation locate(const toml::source_region& region) const {
    return {name_, region.begin.line, region.begin.column};
  }

 private:
  void read_table(const toml::table& table, SourceNode& out) {
    out.type = SourceNode::Type::table;
    for (const auto& [key, node] : table)
      out.entries.push_back({std::string(key.str()), locate(key.source()), read(node)});
    // toml++ sorts by name; people want the order in which they wrote.
    std::stable_sort(out.entries.begin(), out.entries.end(), [](const auto& a, const auto& b) {
      return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
  }

  void read_array(const toml::array& array, SourceNode& out) {
    out.type = SourceNode::Type::array;
    for (const auto& node : array)
      out.items.push_back(read(node));
  }

  Value read_value(const toml::node& node, const SourceLocation& where) {
    if (const auto* text = node.as_string()) return Value(text->get());
    if (const auto* integer = node.as_integer()) return Value(std::int64_t{integer->get()});
    if (const auto* number = node.as_floating_point()) return Value(number->get());
    if (const auto* boolean = node.as_boolean()) return Value(boolean->get());
    diagnostics_.add(where, "a date or time", "a string, number, boolean, array or table");
    return Value();  // null: later checks have nothing to add
  }

  const std::string& name_;
  Diagnostics& diagnostics_;
};

/// The parser's words as the end of a sentence that begins with "not valid TOML".
std::string toml_fault(std::string_view description) {
  constexpr std::string_view kBegin = "Error while ";
  if (description.starts_with(kBegin))
    return ", while " + std::string(description.substr(kBegin.size()));
  return ": " + std::string(description);
}

}  // namespace

const SourceEntry* SourceNode::find(std::string_view key) const {
  for (const auto& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

Value SourceNode::to_value() const {
  if (type == Type::value) return value;
  if (type == Type::array) {
    Value::Array array;
    for (const auto& item : items)
      array.push_back(item.to_value());
    return Value(std::move(array));
  }
  Value::Object object;
  for (const auto& entry : entries)
    object.emplace_back(entry.key, entry.node.to_value());
  return Value(std::move(object));
}

std::optional<SourceNode> parse_toml(std::string_view text, const std::string& name,
                                     Diagnostics& diagnostics) {
  if (text.size() > kMaxTomlBytes) {
    diagnostics.add({name, 0, 0}, "a file of " + std::to_string(text.size()) + " bytes",
                    "at most " + std::to_string(kMaxTomlBytes));
    return std::nullopt;
  }
  Reader reader(name, diagnostics);
  try {
    return reader.read(toml::parse(text));
  } catch (const toml::parse_error& error) {
    diagnostics.add(reader.locate(error.source()),
                    "not valid TOML" + toml_fault(error.description()));
    return std::nullopt;
  }
}

Result<Value> parse_toml_value(std::string_view text) {
  Diagnostics diagnostics;
  const auto table = parse_toml("v = " + std::string(text), "value", diagnostics);
  if (!diagnostics.empty()) return fail(diagnostics.to_error());
  if (table->entries.size() != 1 || table->entries.front().node.is_table() != text.starts_with("{"))
    return fail(ErrorCode::invalid_argument, "more than one value");
  return table->entries.front().node.to_value();
}

}  // namespace troupe::pipeline
