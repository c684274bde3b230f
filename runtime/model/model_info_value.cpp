#include "troupe/model/model_info.h"

#include <string>

namespace troupe::model {
namespace {

Value optional_bool(std::optional<bool> flag) {
  return flag ? Value(*flag) : Value();
}

Value optional_text(const std::string& text) {
  return text.empty() ? Value() : Value(text);
}

Value rope_value(const RopeSpec& rope) {
  Value value;
  value.set("dims", rope.dims);
  value.set("theta", rope.theta);
  value.set("scaling",
            rope.divisors.empty() ? (rope.linear_factor == 1 ? "none" : "linear") : "llama3");
  value.set("linear_factor", rope.linear_factor);
  return value;
}

Value weights_value(const std::vector<WeightUse>& weights) {
  Value::Array array;
  for (const auto& use : weights) {
    Value value;
    value.set("type", to_string(use.type));
    value.set("num_tensors", use.num_tensors);
    value.set("num_parameters", use.num_parameters);
    value.set("bytes", use.bytes);
    array.push_back(std::move(value));
  }
  return array;
}

Value tokens_value(const std::vector<NamedToken>& tokens) {
  Value::Array array;
  for (const auto& token : tokens) {
    Value value;
    value.set("role", token.role);
    value.set("id", std::int64_t{token.id});
    value.set("text", token.text);
    array.push_back(std::move(value));
  }
  return array;
}

Value tokenizer_value(const TokenizerInfo& tokenizer) {
  Value value;
  value.set("model", tokenizer.model);
  value.set("pre_tokenizer", optional_text(tokenizer.pre_tokenizer));
  value.set("num_tokens", tokenizer.num_tokens);
  value.set("special_tokens", tokens_value(tokenizer.special_tokens));
  value.set("end_of_generation", tokens_value(tokenizer.end_of_generation));
  value.set("add_bos", optional_bool(tokenizer.add_bos));
  value.set("add_eos", optional_bool(tokenizer.add_eos));
  value.set("problem", optional_text(tokenizer.problem));
  return value;
}

Value kv_value(const ModelSpec& spec) {
  Value value;
  value.set("f32", static_cast<std::int64_t>(kv_bytes_per_token(spec, 4)));
  value.set("f16", static_cast<std::int64_t>(kv_bytes_per_token(spec, 2)));
  value.set("bf16", static_cast<std::int64_t>(kv_bytes_per_token(spec, 2)));
  value.set("int8", static_cast<std::int64_t>(kv_bytes_per_token(spec, 1, 4)));
  return value;
}

Value precision_value(const ModelInfo& info) {
  Value value;
  value.set("weights", to_string(info.weights.front().type));
  if (!info.precision.activations.empty()) value.set("activations", info.precision.activations);
  if (!info.precision.kv.empty()) value.set("kv", info.precision.kv);
  return value;
}

void set_sizes(const ModelSpec& spec, Value& value) {
  value.set("hidden_size", spec.hidden_size);
  value.set("intermediate_size", spec.intermediate_size);
  value.set("num_layers", spec.num_layers);
  value.set("num_attention_heads", spec.num_attention_heads);
  value.set("num_kv_heads", spec.num_kv_heads);
  value.set("head_dim", spec.head_dim);
  value.set("vocab_size", spec.vocab_size);
  value.set("context_length", spec.context_length);
  value.set("sliding_window", spec.sliding_window);
  value.set("rms_norm_eps", spec.rms_norm_eps);
  value.set("rope", rope_value(spec.rope));
  value.set("tied_embeddings", spec.tied_embeddings);
}

}  // namespace

Value to_value(const ModelInfo& info) {
  Value value;
  value.set("path", info.path);
  value.set("architecture", info.spec.architecture);
  value.set("name", optional_text(info.spec.name));
  set_sizes(info.spec, value);
  value.set("num_parameters", info.spec.num_parameters);
  value.set("weight_bytes", info.spec.weight_bytes);
  value.set("bits_per_weight", info.bits_per_weight);
  value.set("weights", weights_value(info.weights));
  value.set("precision", precision_value(info));
  value.set("kv_bytes_per_token", kv_value(info.spec));
  value.set("tokenizer", info.tokenizer ? tokenizer_value(*info.tokenizer) : Value());
  value.set("chat_template", info.chat_template ? Value(*info.chat_template) : Value());
  Value::Array unread;
  for (const auto& key : info.spec.unread_keys)
    unread.emplace_back(key);
  value.set("unread_keys", std::move(unread));
  return value;
}

}  // namespace troupe::model
