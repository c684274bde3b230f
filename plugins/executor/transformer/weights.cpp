#include "plugins/executor/transformer/weights.h"

#include "plugins/executor/transformer/weight_source.h"
#include "troupe/api/check.h"
#include "troupe/model/dequantize.h"
#include "troupe/model/tensor_names.h"

#include <algorithm>
#include <optional>
#include <string>

namespace troupe::transformer {
namespace {

/// Packs tensors one after the other. After the first failure the rest is skipped: ask error() at
/// the end.
class Loader {
 public:
  Loader(const model::ModelFile& file, Activations activations, ThreadTeam& team)
      : file_(file), activations_(activations), team_(team) {}

  std::vector<float> vector(const std::string& name) {
    const auto* tensor = file_.tensor(name);
    TROUPE_CHECK(tensor != nullptr && tensor->shape.size() == 1);
    std::vector<float> values(static_cast<std::size_t>(tensor->shape[0]));
    model::dequantize_row(tensor->type, tensor->data.data(), values.data(), tensor->shape[0]);
    return values;
  }

  Projection projection(ProductInput input, const std::vector<std::string>& names) {
    Projection result;
    result.wanted = precision_of(activations_, input);
    for (const auto& name : names)
      pack(name, result);
    return result;
  }

  std::int64_t bytes() const { return bytes_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  void pack(const std::string& name, Projection& result) {
    if (error_) return;
    const auto* tensor = file_.tensor(name);
    TROUPE_CHECK(tensor != nullptr && tensor->shape.size() == 2);
    auto matrix = kernels::PackedMatrix::pack(weight_source(*tensor), team_, arena_);
    if (!matrix) {
      error_ = matrix.error().at("tensor " + name);
      return;
    }
    bytes_ += static_cast<std::int64_t>(matrix->bytes());
    const auto precision = kernels::precision_for(matrix->format(), result.wanted);
    if (std::ranges::find(result.precisions, precision) == result.precisions.end())
      result.precisions.push_back(precision);
    result.matrices.push_back(std::move(*matrix));
  }

  const model::ModelFile& file_;
  Activations activations_;
  ThreadTeam& team_;
  kernels::WeightArena arena_;  // the matrices keep it alive
  std::int64_t bytes_ = 0;
  std::optional<Error> error_;
};

LayerWeights load_layer(Loader& loader, std::int64_t layer) {
  const auto name = [&](std::string_view part) { return model::layer_tensor(layer, part); };
  LayerWeights weights;
  weights.attention_norm = loader.vector(name("attn_norm.weight"));
  weights.qkv = loader.projection(
      ProductInput::norm, {name("attn_q.weight"), name("attn_k.weight"), name("attn_v.weight")});
  weights.output = loader.projection(ProductInput::attention, {name("attn_output.weight")});
  weights.mlp_norm = loader.vector(name("ffn_norm.weight"));
  weights.gate_up =
      loader.projection(ProductInput::norm, {name("ffn_gate.weight"), name("ffn_up.weight")});
  weights.down = loader.projection(ProductInput::swiglu, {name("ffn_down.weight")});
  return weights;
}

}  // namespace

Result<Weights> Weights::load(const model::ModelFile& file, const model::TransformerSpec& spec,
                              Activations activations, ThreadTeam& team) {
  Loader loader(file, activations, team);
  Weights weights;
  weights.embedding = file.tensor(model::kTokenEmbedding);
  for (std::int64_t layer = 0; layer < spec.model.num_layers; ++layer)
    weights.layers.push_back(load_layer(loader, layer));
  weights.final_norm = loader.vector(std::string(model::kOutputNorm));
  const auto head = spec.model.tied_embeddings ? model::kTokenEmbedding : model::kOutputHead;
  weights.head = loader.projection(ProductInput::norm, {std::string(head)});
  if (loader.error()) return fail_at(file.path().string(), *loader.error());
  weights.bytes = loader.bytes();
  return weights;
}

}  // namespace troupe::transformer
