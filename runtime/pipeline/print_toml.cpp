#include "troupe/pipeline/print_spec.h"
#include "troupe/pipeline/toml_source.h"

namespace troupe::pipeline {
namespace {

std::string key_line(std::string_view key, const Value& value) {
  return std::string(key) + " = " + to_toml(value) + "\n";
}

std::string print_flow(const PipelineSpec& spec) {
  std::string text = "flow = [\n";
  for (const auto& wire : spec.wires)
    text += "  \"" + spec.operators[wire.from.op].name + "." + wire.from.port + " -> " +
            spec.operators[wire.to.op].name + "." + wire.to.port + "\",  # " +
            std::string(to_string(wire.message)) + "\n";
  return text + "]\n";
}

std::string print_params(const Params& params) {
  std::string text;
  for (const auto& [key, value] : params.values())
    text += key_line(toml_key(key), value);
  return text;
}

std::string print_operator(const PipelineOperator& op) {
  std::string text = "\n[operators." + op.name + "]\n";
  text += key_line("kind", Value(to_string(op.kind)));
  text += key_line("plugin", Value(op.plugin));
  text += key_line("instances", Value(op.instances));
  text += key_line("mailbox", Value(op.mailbox));
  text += key_line("placement", Value(op.placement));
  text += key_line("restart", Value(Value::Object{{"policy", Value(to_string(op.restart.policy))},
                                                  {"max", Value(op.restart.max)},
                                                  {"window_s", Value(op.restart.window_s)}}));
  if (op.params.values().empty()) return text;
  return text + "\n[operators." + op.name + ".params]\n" + print_params(op.params);
}

}  // namespace

std::string print_toml(const PipelineSpec& spec) {
  std::string text = "[pipeline]\n" + key_line("name", Value(spec.name));
  text += key_line("description", Value(spec.description)) + "api = 1\n" + print_flow(spec);
  for (const auto& op : spec.operators)
    text += print_operator(op);
  for (const auto& model : spec.models)
    text += "\n[model." + model.name + "]\n" + print_params(model.params);
  return text;
}

}  // namespace troupe::pipeline
