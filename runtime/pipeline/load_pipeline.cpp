#include "troupe/pipeline/load_pipeline.h"

#include "troupe/pipeline/assignment.h"
#include "troupe/pipeline/config_file.h"
#include "troupe/pipeline/graph.h"
#include "troupe/pipeline/operator_check.h"
#include "troupe/pipeline/pipeline_file.h"
#include "troupe/pipeline/toml_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace troupe::pipeline {
namespace {

namespace fs = std::filesystem;

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return fail(ErrorCode::not_found, path + ": there is no such file");
  if (fs::is_directory(path, error))
    return fail(ErrorCode::invalid_argument, path + ": is a folder; expected a TOML file");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return fail(ErrorCode::invalid_argument, path + ": cannot be read");
  return text;
}

void apply_config(const std::string& path, GivenPipeline& pipeline, Diagnostics& diagnostics) {
  const auto text = read_file(path);
  if (!text) {
    const auto& error = text.error();
    const auto message = error.message().substr(path.size() + 2);
    return diagnostics.add({path, 0, 0}, message, {}, {}, error.code());
  }
  if (const auto root = parse_toml(*text, path, diagnostics))
    apply_config_file(*root, pipeline, diagnostics);
}

void apply_overrides(const Overrides& overrides, GivenPipeline& pipeline,
                     Diagnostics& diagnostics) {
  for (const auto& path : overrides.config_files)
    apply_config(path, pipeline, diagnostics);
  for (const auto& text : split_assignments(overrides.environment))
    apply_assignment(text, "TROUPE_SET", kEnvironmentLayer, pipeline, diagnostics);
  if (!overrides.model.empty()) apply_model_flag(overrides.model, pipeline, diagnostics);
  for (const auto& text : overrides.set)
    apply_assignment(text, "--set", kFlagLayer, pipeline, diagnostics);
}

Graph make_graph(const GivenPipeline& given, const std::vector<CheckedOperator>& operators) {
  Graph graph;
  graph.where = given.where;
  for (const auto& checked : operators) {
    const auto ports = checked.spec ? checked.spec->ports : ports_of(checked.op.kind);
    graph.nodes.push_back(
        {checked.op.name, checked.kind_known, checked.op.kind, ports, checked.op.where, false});
  }
  return graph;
}

void check_doors(const Graph& graph, Diagnostics& diagnostics) {
  const auto is_door = [](const GraphNode& node) {
    return !node.known || node.kind == OperatorKind::ingress;
  };
  if (std::ranges::none_of(graph.nodes, is_door))
    diagnostics.add(graph.where, "the pipeline has no ingress",
                    "at least one operator of kind \"ingress\"");
}

/// Wires, ports, paths and loops; each only when what it builds on was found good, so that one
/// fault is not told twice.
void check_graph(const GivenPipeline& given, Graph graph, PipelineSpec& spec,
                 Diagnostics& diagnostics) {
  if (graph.nodes.empty() || given.flow.empty()) return;  // that is a diagnostic already
  const auto before = diagnostics.size();
  check_doors(graph, diagnostics);
  resolve_wires(given.flow, graph, diagnostics);
  check_ports(graph, diagnostics);
  if (diagnostics.size() == before && std::ranges::all_of(graph.nodes, &GraphNode::known)) {
    check_paths(graph, diagnostics);
    spec.loops = find_token_loops(graph, diagnostics);
  }
  spec.wires = std::move(graph.wires);
}

PipelineSpec check_given(const GivenPipeline& given, const Catalog& catalog,
                         Diagnostics& diagnostics) {
  PipelineSpec spec{given.name, given.description, given.where.file, {}, {}, {}, {}, {}};
  std::vector<CheckedOperator> operators;
  for (const auto& op : given.operators)
    operators.push_back(check_operator(op, catalog, diagnostics));
  std::vector<CheckedModel> models;
  for (const auto& model : given.models)
    models.push_back(check_model(model, diagnostics));
  const bool models_known = check_model_names(operators, models, diagnostics);
  auto graph = make_graph(given, operators);
  for (auto& checked : operators) {
    spec.operators.push_back(std::move(checked.op));
    std::ranges::move(checked.keys, std::back_inserter(spec.keys));
  }
  for (auto& checked : models) {
    spec.models.push_back(std::move(checked.model));
    std::ranges::move(checked.keys, std::back_inserter(spec.keys));
  }
  check_graph(given, std::move(graph), spec, diagnostics);
  if (models_known) check_loop_models(spec, diagnostics);
  return spec;
}

}  // namespace

CheckedPipeline check_pipeline(const PipelineSource& source, const Overrides& overrides,
                               const Catalog& catalog) {
  CheckedPipeline checked;
  const auto root = parse_toml(source.text, source.name, checked.diagnostics);
  if (!root) return checked;
  auto given = read_pipeline_file(*root, checked.diagnostics);
  apply_overrides(overrides, given, checked.diagnostics);
  auto spec = check_given(given, catalog, checked.diagnostics);
  if (checked.diagnostics.empty()) checked.spec = std::move(spec);
  return checked;
}

Result<PipelineSpec> load_pipeline(const PipelineSource& source, const Overrides& overrides,
                                   const Catalog& catalog) {
  auto checked = check_pipeline(source, overrides, catalog);
  if (!checked.spec) return fail(checked.diagnostics.to_error());
  return std::move(*checked.spec);
}

Result<PipelineSpec> load_pipeline(const std::string& path, const Overrides& overrides,
                                   const Catalog& catalog) {
  auto text = read_file(path);
  if (!text) return fail(text.error());
  return load_pipeline(PipelineSource{std::move(*text), path}, overrides, catalog);
}

}  // namespace troupe::pipeline
