#pragma once
#include "troupe/model/model_file.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::model::testing {

/// A model file of the test's making: any metadata, and tensors whose data are zeros.
class MemoryModel : public ModelFile {
 public:
  /// Sets a key, in place of an earlier value.
  void set(std::string_view key, MetadataValue value) {
    erase(key);
    metadata_.emplace_back(key, std::move(value));
  }
  void set(std::string_view key, std::same_as<int> auto value) {
    set(key, MetadataValue(std::int64_t{value}));
  }
  void erase(std::string_view key) {
    std::erase_if(metadata_, [key](const auto& entry) { return entry.first == key; });
  }

  /// Sets a tensor, in place of an earlier one; f32 unless a type is given.
  void set_tensor(std::string_view name, std::vector<std::int64_t> shape,
                  WeightType type = WeightType::f32, std::span<const std::byte> data = {}) {
    erase_tensor(name);
    tensors_.push_back({std::string(name), type, std::move(shape), data});
  }
  void erase_tensor(std::string_view name) {
    std::erase_if(tensors_, [name](const auto& tensor) { return tensor.name == name; });
  }

  const std::filesystem::path& path() const override { return path_; }
  const MetadataValue* metadata(std::string_view key) const override {
    for (const auto& [name, value] : metadata_)
      if (name == key) return &value;
    return nullptr;
  }
  std::vector<std::string_view> metadata_keys() const override {
    std::vector<std::string_view> keys;
    for (const auto& [name, value] : metadata_)
      keys.push_back(name);
    return keys;
  }
  std::span<const TensorInfo> tensors() const override { return tensors_; }
  const TensorInfo* tensor(std::string_view name) const override {
    const auto found = std::ranges::find(tensors_, name, &TensorInfo::name);
    return found == tensors_.end() ? nullptr : &*found;
  }

 private:
  std::filesystem::path path_ = "memory.gguf";
  std::vector<std::pair<std::string, MetadataValue>> metadata_;
  std::vector<TensorInfo> tensors_;
};

/// A sound Llama model: 2 layers, hidden size 32, 4 heads of 8, 2 KV heads, 10 tokens, untied.
inline MemoryModel llama_model() {
  MemoryModel model;
  model.set("general.architecture", std::string_view("llama"));
  model.set("llama.context_length", 128);
  model.set("llama.embedding_length", 32);
  model.set("llama.block_count", 2);
  model.set("llama.feed_forward_length", 48);
  model.set("llama.attention.head_count", 4);
  model.set("llama.attention.head_count_kv", 2);
  model.set("llama.attention.layer_norm_rms_epsilon", 1e-6);
  model.set("tokenizer.ggml.tokens", std::vector<std::string_view>(10, "t"));
  model.set_tensor("token_embd.weight", {10, 32});
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    model.set_tensor(layer + "attn_norm.weight", {32});
    model.set_tensor(layer + "attn_q.weight", {32, 32});
    model.set_tensor(layer + "attn_k.weight", {16, 32});
    model.set_tensor(layer + "attn_v.weight", {16, 32});
    model.set_tensor(layer + "attn_output.weight", {32, 32});
    model.set_tensor(layer + "ffn_norm.weight", {32});
    model.set_tensor(layer + "ffn_gate.weight", {48, 32});
    model.set_tensor(layer + "ffn_up.weight", {48, 32});
    model.set_tensor(layer + "ffn_down.weight", {32, 48});
  }
  model.set_tensor("output_norm.weight", {32});
  model.set_tensor("output.weight", {10, 32});
  return model;
}

}  // namespace troupe::model::testing
