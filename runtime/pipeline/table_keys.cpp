#include "troupe/pipeline/table_keys.h"

#include "troupe/pipeline/load_pipeline.h"

#include <algorithm>

namespace troupe::pipeline {
namespace {

constexpr ParamSpec kOperatorFields[] = {
    {"kind",
     ParamType::text,
     "",
     "the contract the operator fulfils",
     "",
     {},
     {},
     "ingress|stage|tokenizer|scheduler|kv_cache|executor|sampler|drafter|router|communicator"},
    {"plugin", ParamType::text, "", "the library that fulfils it"},
    {"instances", ParamType::integer, "1",
     "how many of it work side by side; more than one only of a stateless plugin", "", 1, 64},
    {"mailbox", ParamType::integer, "1024", "messages that may wait before senders are refused",
     "messages", 1, 1 << 20},
    {"placement", ParamType::text, "\"local\"", "where the operator runs"},
    {"restart.policy",
     ParamType::text,
     "\"always\"",
     "whether the supervisor starts it again",
     "",
     {},
     {},
     "never|always"},
    {"restart.max", ParamType::integer, "3", "restarts allowed within the window", "restarts", 0,
     1000},
    {"restart.window_s", ParamType::integer, "60", "the window in which restarts are counted", "s",
     1, 86400},
};

constexpr ParamSpec kModelParams[] = {
    {"path", ParamType::text, "\"\"",
     "the model file; in a file relative to that file, elsewhere to the working directory"},
    {"activations",
     ParamType::text,
     "\"int8x2\"",
     "precision in which activations meet quantized weights",
     "",
     {},
     {},
     "f32|bf16|int8|int8x2"},
    {"kv_precision",
     ParamType::text,
     "\"bf16\"",
     "precision of the key-value cache",
     "",
     {},
     {},
     "f32|bf16|f16|int8"},
    {"context", ParamType::integer, "0",
     "longest sequence; 0 = as long as the model was trained for", "tokens", 0, 1 << 24},
};

}  // namespace

std::span<const ParamSpec> operator_fields() {
  return kOperatorFields;
}

std::span<const ParamSpec> model_params() {
  return kModelParams;
}

bool is_operator_key(std::string_view key) {
  if (key == "params" || key == "restart") return true;
  return std::ranges::any_of(kOperatorFields, [&](const auto& field) { return field.name == key; });
}

bool is_pipeline_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto later = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || name.size() > 64 || !letter(name.front())) return false;
  if (!std::ranges::all_of(name, later)) return false;
  return name != "model" && name != "operators" && name != "pipeline" && name != "params";
}

}  // namespace troupe::pipeline
