#include "plugins/executor/transformer/architectures/architecture.h"

namespace troupe::transformer {
namespace {

/// Which models this is, and how they differ from Llama.
Result<model::TransformerSpec> read_@name@(const model::ModelFile& file) {
  auto sizes = model::read_model_spec(file);
  if (!sizes) return fail(sizes.error());
  model::TransformerSpec spec;
  spec.model = std::move(*sizes);
  spec.norm = model::NormKind::rms;
  spec.activation = model::ActivationKind::silu;
  spec.rope_pairs = model::RopePairs::halves;
  return spec;
}

}  // namespace

extern const Architecture architecture_@name@;
constinit const Architecture architecture_@name@{"@name@", read_@name@};

}  // namespace troupe::transformer
