#include "troupe/pipeline/config_file.h"

#include "troupe/core/nearest_name.h"
#include "troupe/pipeline/operator_table.h"

namespace troupe::pipeline {
namespace {

void apply_operators(const SourceEntry& entry, GivenPipeline& pipeline, Diagnostics& diagnostics) {
  if (!expect_table(entry, "[operators.scheduler.params]", diagnostics)) return;
  for (const auto& key : entry.node.entries) {
    auto* op = pipeline.find_operator(key.key);
    if (!op)
      diagnostics.add(key.where, "the pipeline has no operator " + in_quotes(key.key),
                      one_of(pipeline.operator_names()),
                      std::string(nearest_name(key.key, pipeline.operator_names())));
    else if (expect_table(key, "[operators." + key.key + ".params]", diagnostics))
      read_operator_keys(key.node, *op, kConfigLayer, diagnostics);
  }
}

void apply_models(const SourceEntry& entry, GivenPipeline& pipeline, Diagnostics& diagnostics) {
  if (!expect_table(entry, "[model.default]", diagnostics)) return;
  for (const auto& key : entry.node.entries) {
    auto* model = pipeline.find_model(key.key);
    if (!model)
      diagnostics.add(key.where, "the pipeline has no model " + in_quotes(key.key),
                      one_of(pipeline.model_names()),
                      std::string(nearest_name(key.key, pipeline.model_names())));
    else if (expect_table(key, "[model." + key.key + "]", diagnostics))
      read_model_keys(key.node, *model, kConfigLayer);
  }
}

}  // namespace

void apply_config_file(const SourceNode& root, GivenPipeline& pipeline, Diagnostics& diagnostics) {
  for (const auto& entry : root.entries) {
    if (entry.key == "operators")
      apply_operators(entry, pipeline, diagnostics);
    else if (entry.key == "model")
      apply_models(entry, pipeline, diagnostics);
    else if (entry.key == "pipeline")
      diagnostics.add(entry.where, "a [pipeline] table in a config file",
                      "values only: [operators.NAME.params] and [model.NAME]");
    else
      report_unknown_key(entry, "at the top of a config file", {"operators", "model"}, diagnostics);
  }
}

}  // namespace troupe::pipeline
