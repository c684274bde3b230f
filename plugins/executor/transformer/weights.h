#pragma once
#include "kernels/matmul/packed_matrix.h"
#include "plugins/executor/transformer/activations.h"
#include "troupe/device/thread_team.h"
#include "troupe/model/model_file.h"
#include "troupe/model/transformer_spec.h"

#include <vector>

namespace troupe::transformer {

/// Matrices that are applied to the same input, such as q, k and v.
struct Projection {
  kernels::Precision wanted{};                  // of the input, where a matrix can take it
  std::vector<kernels::PackedMatrix> matrices;  // each [outputs, inputs]
  std::vector<kernels::Precision> precisions;  // the distinct ones their products take; at most two
};

struct LayerWeights {
  std::vector<float> attention_norm;  // [hidden_size]
  Projection qkv;     // q [heads * head_dim, hidden_size], k and v [kv_heads * head_dim, ..]
  Projection output;  // [hidden_size, heads * head_dim]
  std::vector<float> mlp_norm;  // [hidden_size]
  Projection gate_up;           // each [intermediate_size, hidden_size]
  Projection down;              // [hidden_size, intermediate_size]
};

/// A model's weights in the layout of the kernels. Immutable once loaded; any thread may read them.
struct Weights {
  const model::TensorInfo* embedding =
      nullptr;  // in the file: a row is turned to float32 when it is used
  std::vector<LayerWeights> layers;
  std::vector<float> final_norm;  // [hidden_size]
  Projection head;                // [vocab_size, hidden_size]
  std::int64_t bytes = 0;         // of the packed matrices

  /// Packs all tensors with all workers of `team`. The file must outlive the weights.
  /// Pre: the file's tensors are those expected_tensors(spec) names.
  /// Errors: as PackedMatrix::pack, with the tensor's name.
  static Result<Weights> load(const model::ModelFile& file, const model::TransformerSpec& spec,
                              Activations activations, ThreadTeam& team);
};

}  // namespace troupe::transformer
