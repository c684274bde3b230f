#include "troupe/model/transformer_spec.h"

#include "troupe/model/quote.h"
#include "troupe/model/tensor_names.h"

#include <algorithm>
#include <utility>

namespace troupe::model {
namespace {

using Shape = std::vector<std::int64_t>;

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

/// Lists the tensors of one layer.
class LayerTensors {
 public:
  LayerTensors(std::int64_t layer, std::vector<TensorExpectation>& out)
      : layer_(layer), out_(out) {}

  void add(std::string_view part, Shape shape) {
    out_.push_back({layer_tensor(layer_, part), std::move(shape)});
  }
  /// A linear map's weight [outputs, inputs], and its bias [outputs] when it has one.
  void add_linear(const std::string& part, std::int64_t outputs, std::int64_t inputs, bool bias) {
    add(part + ".weight", {outputs, inputs});
    if (bias) add(part + ".bias", {outputs});
  }

 private:
  std::int64_t layer_;
  std::vector<TensorExpectation>& out_;
};

void add_layer(const TransformerSpec& spec, std::int64_t layer,
               std::vector<TensorExpectation>& out) {
  const auto& model = spec.model;
  const auto q_size = model.num_attention_heads * model.head_dim;
  const auto kv_size = model.num_kv_heads * model.head_dim;
  LayerTensors tensors(layer, out);
  tensors.add("attn_norm.weight", {model.hidden_size});
  tensors.add_linear("attn_q", q_size, model.hidden_size, spec.qkv_bias);
  tensors.add_linear("attn_k", kv_size, model.hidden_size, spec.qkv_bias);
  tensors.add_linear("attn_v", kv_size, model.hidden_size, spec.qkv_bias);
  if (spec.qk_norm) {
    tensors.add("attn_q_norm.weight", {model.head_dim});
    tensors.add("attn_k_norm.weight", {model.head_dim});
  }
  tensors.add_linear("attn_output", model.hidden_size, q_size, spec.output_bias);
  tensors.add("ffn_norm.weight", {model.hidden_size});
  tensors.add_linear("ffn_gate", model.intermediate_size, model.hidden_size, spec.mlp_bias);
  tensors.add_linear("ffn_up", model.intermediate_size, model.hidden_size, spec.mlp_bias);
  tensors.add_linear("ffn_down", model.hidden_size, model.intermediate_size, spec.mlp_bias);
}

Result<void> check_no_other(const ModelFile& file, std::span<const TensorExpectation> expected) {
  std::vector<std::string_view> names;
  for (const auto& entry : expected)
    names.emplace_back(entry.name);
  std::ranges::sort(names);
  for (const auto& tensor : file.tensors())
    if (!std::ranges::binary_search(names, std::string_view(tensor.name)))
      return fail(ErrorCode::unsupported,
                  "tensor " + quote(tensor.name) +
                      " is no part of this architecture as this build runs it; without it the "
                      "result would be wrong");
  return {};
}

/// Whether the value of a key leaves its feature off: zero or false, and true for causal attention.
bool is_off(std::string_view key, const MetadataValue& value) {
  if (const auto* flag = std::get_if<bool>(&value))
    return *flag == (key.find("causal") != std::string_view::npos);
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* number = std::get_if<double>(&value);
  return (integer != nullptr && *integer == 0) || (number != nullptr && *number == 0);
}

/// Parts of the names of keys that are about the computation.
constexpr std::string_view kComputation[] = {"expert", "softcap", "sliding", "scal",
                                             "causal", "alibi",   "clamp",   "ssm"};

Result<void> check_no_unread_computation(const ModelFile& file, const ModelSpec& model) {
  for (const std::string_view key : model.unread_keys) {
    const auto* value = file.metadata(key);
    if (value == nullptr || is_off(key, *value)) continue;
    for (const auto part : kComputation)
      if (key.find(part) != std::string_view::npos)
        return fail(ErrorCode::unsupported, "key " + quote(key) +
                                                " changes the computation in a way this build "
                                                "does not do");
  }
  return {};
}

}  // namespace

std::vector<TensorExpectation> expected_tensors(const TransformerSpec& spec) {
  const auto& model = spec.model;
  std::vector<TensorExpectation> tensors;
  tensors.push_back({std::string(kTokenEmbedding), {model.vocab_size, model.hidden_size}});
  if (!model.rope.divisors.empty())
    tensors.push_back({std::string(kRopeFrequencies), {model.rope.dims / 2}});
  for (std::int64_t layer = 0; layer < model.num_layers; ++layer)
    add_layer(spec, layer, tensors);
  tensors.push_back({std::string(kOutputNorm), {model.hidden_size}});
  if (!model.tied_embeddings)
    tensors.push_back({std::string(kOutputHead), {model.vocab_size, model.hidden_size}});
  return tensors;
}

Result<void> check_tensors(const ModelFile& file, std::span<const TensorExpectation> expected) {
  for (const auto& entry : expected) {
    const auto* tensor = file.tensor(entry.name);
    if (tensor == nullptr)
      return fail(ErrorCode::not_found,
                  "the file has no tensor " + quote(entry.name) + " " + shape_text(entry.shape));
    if (tensor->shape != entry.shape)
      return fail(ErrorCode::incompatible, "tensor " + quote(entry.name) + " has the shape " +
                                               shape_text(tensor->shape) + ", expected " +
                                               shape_text(entry.shape));
  }
  return check_no_other(file, expected);
}

Result<void> check_transformer(const ModelFile& file, const TransformerSpec& spec) {
  if (auto read = check_no_unread_computation(file, spec.model); !read) return read;
  return check_tensors(file, expected_tensors(spec));
}

}  // namespace troupe::model
