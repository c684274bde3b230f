#pragma once
#include "troupe/api/value.h"
#include "troupe/pipeline/source_location.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::pipeline {

/// Names of the layers, as messages and `troupe explain` show them; each goes before those above
/// it.
inline constexpr std::string_view kDefaultLayer = "default";
inline constexpr std::string_view kPipelineLayer = "pipeline";
inline constexpr std::string_view kConfigLayer = "config";
inline constexpr std::string_view kEnvironmentLayer = "environment";
inline constexpr std::string_view kFlagLayer = "flag";

/// A value that a layer gave to a key, not checked yet.
struct GivenValue {
  Value value;
  SourceLocation key_where;
  SourceLocation where;
  std::string_view layer;
  /// The value as it was typed, where the layer has no quotes of its own (environment, flags): a
  /// text parameter takes it literally.
  std::optional<std::string> typed;
};

/// All that the layers gave to one key, from the weakest to the strongest.
struct GivenKey {
  std::string name;
  std::vector<GivenValue> values;
};

/// A table whose keys are parameters: [operators.X.params], [model.X], or an operator's own keys.
struct GivenTable {
  std::string name;
  SourceLocation where;
  std::vector<GivenKey> keys;

  void give(std::string_view key, GivenValue value) {
    for (auto& known : keys)
      if (known.name == key) {
        known.values.push_back(std::move(value));
        return;
      }
    keys.push_back({std::string(key), {std::move(value)}});
  }
  const GivenKey* find(std::string_view key) const {
    for (const auto& known : keys)
      if (known.name == key) return &known;
    return nullptr;
  }
};

/// An [operators.NAME] table.
struct GivenOperator {
  std::string name;
  SourceLocation where;
  GivenTable fields;  // kind, plugin, mailbox, "restart.max", ...
  GivenTable params;
};

/// One string of `flow`.
struct GivenFlow {
  std::string text;
  SourceLocation where;  // of the quote before it
};

/// A pipeline as it was written, with the values of all layers.
struct GivenPipeline {
  std::string name;
  std::string description;
  SourceLocation where;  // of [pipeline]
  std::vector<GivenFlow> flow;
  std::vector<GivenOperator> operators;
  std::vector<GivenTable> models;

  GivenOperator* find_operator(std::string_view operator_name) {
    for (auto& op : operators)
      if (op.name == operator_name) return &op;
    return nullptr;
  }
  GivenTable* find_model(std::string_view model_name) {
    for (auto& model : models)
      if (model.name == model_name) return &model;
    return nullptr;
  }
  std::vector<std::string> operator_names() const {
    std::vector<std::string> names;
    for (const auto& op : operators)
      names.push_back(op.name);
    return names;
  }
  std::vector<std::string> model_names() const {
    std::vector<std::string> names;
    for (const auto& model : models)
      names.push_back(model.name);
    return names;
  }
};

}  // namespace troupe::pipeline
