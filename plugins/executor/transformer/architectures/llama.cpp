#include "plugins/executor/transformer/architectures/architecture.h"

namespace troupe::transformer {
namespace {

/// Llama 1 to 3, and what has the same shape: TinyLlama, SmolLM2, Mistral 7B.
Result<model::TransformerSpec> read_llama(const model::ModelFile& file) {
  auto sizes = model::read_model_spec(file);
  if (!sizes) return fail(sizes.error());
  model::TransformerSpec spec;
  spec.model = std::move(*sizes);
  spec.norm = model::NormKind::rms;
  spec.activation = model::ActivationKind::silu;
  spec.rope_pairs = model::RopePairs::adjacent;
  return spec;
}

}  // namespace

extern const Architecture architecture_llama;
constinit const Architecture architecture_llama{"llama", read_llama};

}  // namespace troupe::transformer
