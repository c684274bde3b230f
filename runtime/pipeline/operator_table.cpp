#include "troupe/pipeline/operator_table.h"

#include "troupe/core/nearest_name.h"

#include <filesystem>

namespace troupe::pipeline {
namespace {

namespace fs = std::filesystem;

GivenValue given(const SourceEntry& entry, std::string_view layer) {
  return {entry.node.to_value(), entry.where, entry.node.where, layer, std::nullopt};
}

void no_table(std::string_view key, const GivenValue& value, Diagnostics& diagnostics) {
  diagnostics.add(value.where, std::string(key) + " = " + to_toml(value.value),
                  key == "restart"
                      ? "a table such as { policy = \"always\", max = 3, window_s = 60 }"
                      : "a table of the plugin's parameters such as { name = value }");
}

void give(GivenOperator& op, std::string_view table, std::string_view key, GivenValue value) {
  if (table == "restart")
    op.fields.give("restart." + std::string(key), std::move(value));
  else
    op.params.give(key, std::move(value));
}

Value resolve_path(const SourceNode& node) {
  if (!node.value.is_string()) return node.to_value();
  const auto& path = node.value.as_string();
  const auto folder = fs::path(node.where.file).parent_path();
  if (path.empty() || path.starts_with("~") || fs::path(path).is_absolute() || folder.empty())
    return Value(path);
  return Value((folder / path).lexically_normal().string());
}

}  // namespace

bool expect_table(const SourceEntry& entry, std::string_view example, Diagnostics& diagnostics) {
  if (entry.node.is_table()) return true;
  diagnostics.add(entry.where, in_quotes(entry.key) + " is no table",
                  "a table such as " + std::string(example));
  return false;
}

void report_unknown_key(const SourceEntry& entry, std::string_view place,
                        const std::vector<std::string>& known, Diagnostics& diagnostics) {
  diagnostics.add(entry.where, "unknown key " + in_quotes(entry.key) + " " + std::string(place),
                  one_of(known), std::string(nearest_name(entry.key, known)));
}

void give_subtable(GivenOperator& op, std::string_view key, const GivenValue& whole,
                   Diagnostics& diagnostics) {
  if (!whole.value.is_object()) return no_table(key, whole, diagnostics);
  for (const auto& [name, value] : whole.value.as_object()) {
    auto part = whole;
    part.value = value;
    part.typed.reset();
    give(op, key, name, std::move(part));
  }
}

void read_operator_keys(const SourceNode& node, GivenOperator& op, std::string_view layer,
                        Diagnostics& diagnostics) {
  for (const auto& entry : node.entries) {
    const auto& key = entry.key;
    if ((key == "kind" || key == "plugin") && layer == kConfigLayer)
      diagnostics.add(entry.where, in_quotes(key) + " in a config file",
                      "values only; a pipeline or --set " + op.name + "." + key + "=NAME sets it");
    else if (key != "params" && key != "restart")
      op.fields.give(key, given(entry, layer));
    else if (!entry.node.is_table())
      no_table(key, given(entry, layer), diagnostics);
    else
      for (const auto& part : entry.node.entries)
        give(op, key, part.key, given(part, layer));
  }
}

void read_model_keys(const SourceNode& node, GivenTable& model, std::string_view layer) {
  for (const auto& entry : node.entries) {
    auto value = given(entry, layer);
    if (entry.key == "path") value.value = resolve_path(entry.node);
    model.give(entry.key, std::move(value));
  }
}

}  // namespace troupe::pipeline
