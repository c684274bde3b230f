#include "troupe/core/json.h"
#include "troupe/pipeline/print_spec.h"

#include <algorithm>
#include <string_view>

namespace troupe::pipeline {
namespace {

bool in_loop(const TokenLoop& loop, std::size_t op) {
  return op == loop.scheduler || op == loop.kv_cache || op == loop.executor || op == loop.sampler ||
         op == loop.drafter;
}

bool in_any_loop(const PipelineSpec& spec, std::size_t op) {
  return std::ranges::any_of(spec.loops, [&](const auto& loop) { return in_loop(loop, op); });
}

/// JSON's quotes and escapes are also those of DOT for what names and plugins can contain.
std::string quoted(const std::string& text) {
  return to_json(Value(text));
}

std::string dot_node(const PipelineOperator& op) {
  return op.name +
         " [label=" + quoted(op.name + "\n" + std::string(to_string(op.kind)) + ": " + op.plugin) +
         "];\n";
}

std::string dot_loops(const PipelineSpec& spec) {
  std::string text;
  for (const auto& loop : spec.loops) {
    const auto& name = spec.operators[loop.scheduler].name;
    text += "  subgraph cluster_" + name + " {\n    label=\"token loop\"; style=\"rounded\"; " +
            "color=\"#c2410c\"; fontname=\"sans-serif\";\n";
    for (std::size_t i = 0; i < spec.operators.size(); ++i)
      if (in_loop(loop, i)) text += "    " + dot_node(spec.operators[i]);
    text += "  }\n";
  }
  return text;
}

std::string mermaid_node(const PipelineOperator& op) {
  return op.name + "[\"" + op.name + "<br/><small>" + std::string(to_string(op.kind)) + ": " +
         op.plugin + "</small>\"]\n";
}

std::string mermaid_loops(const PipelineSpec& spec) {
  std::string text;
  for (const auto& loop : spec.loops) {
    text += "  subgraph loop_" + spec.operators[loop.scheduler].name + "[\"token loop\"]\n";
    for (std::size_t i = 0; i < spec.operators.size(); ++i)
      if (in_loop(loop, i)) text += "    " + mermaid_node(spec.operators[i]);
    text += "  end\n";
  }
  return text;
}

}  // namespace

bool is_loop_message(MessageType message) {
  switch (message) {
    case MessageType::request:
    case MessageType::tokenized_request:
    case MessageType::token_event:
    case MessageType::text_event:
      return false;
    default:
      return true;
  }
}

std::string print_dot(const PipelineSpec& spec) {
  std::string text = "digraph " + quoted(spec.name) + " {\n  rankdir=LR;\n";
  text += "  node [shape=box, style=\"rounded\", fontname=\"sans-serif\"];\n";
  text += "  edge [fontname=\"sans-serif\", fontsize=10];\n";
  for (std::size_t i = 0; i < spec.operators.size(); ++i)
    if (!in_any_loop(spec, i)) text += "  " + dot_node(spec.operators[i]);
  text += dot_loops(spec);
  for (const auto& wire : spec.wires) {
    text += "  " + spec.operators[wire.from.op].name + " -> " + spec.operators[wire.to.op].name +
            " [label=\"" + std::string(to_string(wire.message)) + "\"";
    if (is_loop_message(wire.message)) text += ", color=\"#c2410c\"";
    text += "];\n";
  }
  return text + "}\n";
}

std::string print_mermaid(const PipelineSpec& spec) {
  std::string text = "flowchart LR\n";
  for (std::size_t i = 0; i < spec.operators.size(); ++i)
    if (!in_any_loop(spec, i)) text += "  " + mermaid_node(spec.operators[i]);
  text += mermaid_loops(spec);
  for (const auto& wire : spec.wires)
    text += "  " + spec.operators[wire.from.op].name +
            (is_loop_message(wire.message) ? " ==>|" : " -->|") +
            std::string(to_string(wire.message)) + "| " + spec.operators[wire.to.op].name + "\n";
  return text;
}

}  // namespace troupe::pipeline
