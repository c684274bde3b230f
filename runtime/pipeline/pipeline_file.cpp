#include "troupe/pipeline/pipeline_file.h"

#include "troupe/pipeline/operator_table.h"
#include "troupe/pipeline/table_keys.h"

namespace troupe::pipeline {
namespace {

std::string read_text(const SourceEntry& entry, Diagnostics& diagnostics) {
  if (entry.node.value.is_string()) return entry.node.value.as_string();
  diagnostics.add(entry.node.where, in_quotes(entry.key) + " = " + to_toml(entry.node.to_value()),
                  "a string");
  return {};
}

void read_api(const SourceNode& node, Diagnostics& diagnostics) {
  if (node.value == Value(1)) return;
  diagnostics.add(node.where, "api = " + to_toml(node.to_value()),
                  "1, the only version of the grammar that this build reads");
}

void read_flow(const SourceNode& node, GivenPipeline& pipeline, Diagnostics& diagnostics) {
  if (node.type != SourceNode::Type::array) {
    diagnostics.add(node.where, "'flow' is no array",
                    "an array of strings such as [\"client -> tokenizer -> scheduler\"]");
    return;
  }
  for (const auto& item : node.items) {
    if (item.value.is_string())
      pipeline.flow.push_back({item.value.as_string(), item.where});
    else
      diagnostics.add(item.where, "a line of 'flow' is " + to_toml(item.to_value()),
                      "a string such as \"client -> tokenizer -> scheduler\"");
  }
  if (node.items.empty())
    diagnostics.add(node.where, "'flow' is empty", "at least one line that joins operators");
}

void read_pipeline_table(const SourceEntry& entry, GivenPipeline& pipeline,
                         Diagnostics& diagnostics) {
  pipeline.where = entry.where;
  if (!expect_table(entry, "[pipeline]", diagnostics)) return;
  for (const auto& key : entry.node.entries) {
    if (key.key == "name")
      pipeline.name = read_text(key, diagnostics);
    else if (key.key == "description")
      pipeline.description = read_text(key, diagnostics);
    else if (key.key == "api")
      read_api(key.node, diagnostics);
    else if (key.key == "flow")
      read_flow(key.node, pipeline, diagnostics);
    else
      report_unknown_key(key, "in [pipeline]", {"name", "description", "api", "flow"}, diagnostics);
  }
  if (!entry.node.find("name"))
    diagnostics.add(entry.where, "[pipeline] has no 'name'", "a name such as name = \"chat\"");
  if (!entry.node.find("flow"))
    diagnostics.add(entry.where, "[pipeline] has no 'flow'",
                    "the wires, such as flow = [\"client -> tokenizer -> scheduler\"]");
}

bool check_name(const SourceEntry& entry, std::string_view what, Diagnostics& diagnostics) {
  if (is_pipeline_name(entry.key)) return true;
  diagnostics.add(entry.where, in_quotes(entry.key) + " cannot name " + std::string(what),
                  std::string(kNameRule));
  return false;
}

void read_operators(const SourceEntry& entry, GivenPipeline& pipeline, Diagnostics& diagnostics) {
  if (!expect_table(entry, "[operators.scheduler]", diagnostics)) return;
  for (const auto& key : entry.node.entries) {
    if (!check_name(key, "an operator", diagnostics)) continue;
    if (!expect_table(key, "[operators." + key.key + "]", diagnostics)) continue;
    GivenOperator op{key.key, key.where, {key.key, key.where, {}}, {key.key, key.where, {}}};
    read_operator_keys(key.node, op, kPipelineLayer, diagnostics);
    pipeline.operators.push_back(std::move(op));
  }
}

void read_models(const SourceEntry& entry, GivenPipeline& pipeline, Diagnostics& diagnostics) {
  if (!expect_table(entry, "[model.default]", diagnostics)) return;
  for (const auto& key : entry.node.entries) {
    if (!check_name(key, "a model", diagnostics)) continue;
    if (!expect_table(key, "[model.default]", diagnostics)) continue;
    GivenTable model{key.key, key.where, {}};
    read_model_keys(key.node, model, kPipelineLayer);
    pipeline.models.push_back(std::move(model));
  }
}

}  // namespace

GivenPipeline read_pipeline_file(const SourceNode& root, Diagnostics& diagnostics) {
  GivenPipeline pipeline;
  pipeline.where = {root.where.file, 1, 1};
  for (const auto& entry : root.entries) {
    if (entry.key == "pipeline")
      read_pipeline_table(entry, pipeline, diagnostics);
    else if (entry.key == "operators")
      read_operators(entry, pipeline, diagnostics);
    else if (entry.key == "model")
      read_models(entry, pipeline, diagnostics);
    else
      report_unknown_key(entry, "at the top of a pipeline", {"pipeline", "operators", "model"},
                         diagnostics);
  }
  if (!root.find("pipeline"))
    diagnostics.add(pipeline.where, "there is no [pipeline] table",
                    "[pipeline] with a name and the flow");
  if (pipeline.operators.empty() && !root.find("operators"))
    diagnostics.add(pipeline.where, "there are no operators",
                    "a table such as [operators.scheduler] for each");
  return pipeline;
}

}  // namespace troupe::pipeline
