#pragma once
#include "troupe/api/result.h"
#include "troupe/model/model_file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::model {

/// Rotary position embedding: pair i of a head turns by position * frequency(i), where
/// frequency(i) = theta^(-2i / dims) / linear_factor / divisors[i].
struct RopeSpec {
  /// Leading elements of each head that turn: even, 2 to head_dim. The others pass unchanged.
  std::int64_t dims = 0;
  double theta = 10000;
  /// Linear scaling: positions are divided by it. 1 when the model has none.
  double linear_factor = 1;
  /// Per-pair divisors [dims / 2], all positive: how GGUF files hold the scaling of Llama 3
  /// (tensor rope_freqs.weight). Empty when the model has none.
  std::vector<float> divisors;
};

/// The sizes of a decoder-only transformer, as its file gives them, and checked: every count is
/// positive, the heads divide, and vocab_size is the number of rows of the embedding.
struct ModelSpec {
  std::string architecture;  // "llama"
  std::string name;          // what the file calls itself; may be empty

  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_layers = 0;
  std::int64_t num_attention_heads = 0;
  /// num_attention_heads is a multiple of it.
  std::int64_t num_kv_heads = 0;
  std::int64_t head_dim = 0;
  /// Length of a row of logits. Rows at and past num_tokens are padding that no token has: they
  /// must never be sampled.
  std::int64_t vocab_size = 0;
  /// Tokens of the tokenizer, at most vocab_size; 0 when the file has no tokenizer.
  std::int64_t num_tokens = 0;
  /// Positions the model was trained for.
  std::int64_t context_length = 0;
  /// Positions that a token sees in every layer, itself among them: p - sliding_window + 1 to p.
  /// 0 = all up to its own.
  std::int64_t sliding_window = 0;
  double rms_norm_eps = 0;
  RopeSpec rope;
  /// Whether the output head is the embedding: the file has no tensor output.weight. When it has
  /// both, both are used.
  bool tied_embeddings = false;

  /// Elements of all tensors together; a tied head counts once.
  std::int64_t num_parameters = 0;
  /// Bytes of all tensors in the file.
  std::int64_t weight_bytes = 0;
  /// Keys of the architecture that were not understood; they say nothing known to change the
  /// result.
  std::vector<std::string> unread_keys;
};

/// Reads the sizes from the keys that all transformers in GGUF share ("<architecture>.block_count"
/// and so on) and the embedding's shape. Whether the architecture itself can be run is the
/// executor's to say. Errors: not_found (a key or tensor is absent), invalid_argument (a value out
/// of range or against another one), unsupported (understood, but nothing here does it: YaRN
/// scaling, a file that is one part of several). Messages do not name the file.
Result<ModelSpec> read_model_spec(const ModelFile& file);

/// Bytes that one token takes in the KV cache, over all layers, with values of `bytes_per_value`
/// and `bytes_per_scale` for the scale that each head's key, and each value, may have beside them.
double kv_bytes_per_token(const ModelSpec& spec, double bytes_per_value,
                          double bytes_per_scale = 0);

}  // namespace troupe::model
