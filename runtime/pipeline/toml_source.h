#pragma once
#include "troupe/api/result.h"
#include "troupe/api/value.h"
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/source_location.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::pipeline {

struct SourceEntry;

/// A node of a TOML text that knows where it was written.
struct SourceNode {
  enum class Type { value, array, table };
  Type type = Type::value;
  SourceLocation where;  // of the value, or of the table's header
  Value value;           // of Type::value
  std::vector<SourceNode> items;
  std::vector<SourceEntry> entries;  // in the order of the text

  const SourceEntry* find(std::string_view key) const;
  bool is_table() const { return type == Type::table; }
  /// The node and everything below it.
  Value to_value() const;
};

struct SourceEntry {
  std::string key;
  SourceLocation where;  // of the key
  SourceNode node;
};

/// Largest TOML text that is read, in bytes.
inline constexpr std::size_t kMaxTomlBytes = 1 << 20;

/// Parses a TOML text; `name` is the file in its locations. Without a value when the text is no
/// TOML: then one diagnostic says where. Dates and times, for which no key has a use, are
/// diagnostics too.
std::optional<SourceNode> parse_toml(std::string_view text, const std::string& name,
                                     Diagnostics& diagnostics);

/// Parses one value as TOML has it after a "=". Errors: invalid_argument.
Result<Value> parse_toml_value(std::string_view text);

/// Writes a value as TOML has it after a "=", on one line. Pre: no null inside.
std::string to_toml(const Value& value);

/// A key as TOML writes it: bare where possible, quoted otherwise.
std::string toml_key(std::string_view key);

}  // namespace troupe::pipeline
