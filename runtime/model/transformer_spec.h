#pragma once
#include "troupe/api/result.h"
#include "troupe/model/model_file.h"
#include "troupe/model/model_spec.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe::model {

/// How a layer's input is normalised. rms: x / sqrt(mean(x^2) + eps) * weight.
enum class NormKind : std::uint8_t { rms };

/// What stands between the two halves of the gated MLP: down(activation(gate(x)) * up(x)).
enum class ActivationKind : std::uint8_t { silu, gelu_tanh };

/// Which elements of a head turn together. adjacent: (2i, 2i+1), also called "norm"; halves:
/// (i, i + dims/2), also called "NeoX". GGUF files of the Llama family have the rows of attn_q and
/// attn_k permuted from the checkpoint's order for `adjacent`; those of Qwen, Gemma and Phi have
/// not and use `halves`.
enum class RopePairs : std::uint8_t { adjacent, halves };

/// All that one forward pass needs to know of a decoder-only transformer: an architecture is a
/// function that fills this from a file, and nothing else.
struct TransformerSpec {
  ModelSpec model;
  NormKind norm = NormKind::rms;
  ActivationKind activation = ActivationKind::silu;
  RopePairs rope_pairs = RopePairs::adjacent;
  bool qkv_bias = false;     // attn_q.bias, attn_k.bias, attn_v.bias
  bool output_bias = false;  // attn_output.bias
  bool mlp_bias = false;     // ffn_gate.bias, ffn_up.bias, ffn_down.bias
  bool qk_norm = false;  // attn_q_norm.weight, attn_k_norm.weight [head_dim], before the rotation
};

/// A tensor that a model must have, by its name in the file.
struct TensorExpectation {
  std::string name;
  std::vector<std::int64_t> shape;  // outermost dimension first
};

/// All tensors of the model that `spec` describes, in GGUF's names, in the order in which a forward
/// pass uses them. A tied head and the rope divisors are listed only when the model has them as
/// tensors.
std::vector<TensorExpectation> expected_tensors(const TransformerSpec& spec);

/// Compares a file with what is expected of it: each tensor there, with its shape, and no other
/// there, since weights that no one reads mean that the wrong model would be run. Errors:
/// not_found, incompatible, unsupported; each names the tensor.
Result<void> check_tensors(const ModelFile& file, std::span<const TensorExpectation> expected);

/// Whether `file` is the model that `spec` describes, and all of it: check_tensors, and no key that
/// changes the computation (experts, soft caps, windows, further scales) stays unread.
/// Errors: as check_tensors; unsupported naming the key.
Result<void> check_transformer(const ModelFile& file, const TransformerSpec& spec);

}  // namespace troupe::model
