#pragma once
#include "troupe/api/result.h"
#include "troupe/model/model_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace troupe::model {

enum class TinyTokenizer : std::uint8_t {
  byte_level_bpe,  // as SmolLM2's: tokenizer.ggml.model "gpt2", pre "smollm", no bos added
  sentence_piece,  // as Llama 2's: tokenizer.ggml.model "llama", scores, byte fallback, bos added
};

enum class TinyRopeScaling : std::uint8_t { none, linear, llama3 };

/// A random-weight Llama model small enough for tests that need a whole model in milliseconds.
/// The weights of a tensor depend on the seed, its name and its shape alone, so that files that
/// differ in weight type, tokenizer or tying are the same model otherwise.
struct TinyModelOptions {
  std::uint64_t seed = 1;
  /// Of all matrices; norms are always f32. Every type works; q4_k to q6_k need rows of 256
  /// elements (see tiny_model_for).
  WeightType weight_type = WeightType::f32;
  /// Of the embedding and the head, when it differs, as in many real files.
  std::optional<WeightType> embedding_type = std::nullopt;
  bool tied_embeddings = true;
  TinyRopeScaling rope_scaling = TinyRopeScaling::none;
  TinyTokenizer tokenizer = TinyTokenizer::byte_level_bpe;
  std::int64_t num_layers = 2;
  std::int64_t hidden_size = 64;
  std::int64_t intermediate_size = 160;
  std::int64_t num_attention_heads = 4;
  std::int64_t num_kv_heads = 2;
  std::int64_t head_dim = 16;
  std::int64_t context_length = 512;
  std::int64_t sliding_window = 0;  // 0 = none
  /// Rows of the embedding past the last token, with logits that would often be the largest.
  std::int64_t padded_rows = 0;
};

/// The options with sizes that `type` can store: the defaults, or rows of 256 elements.
TinyModelOptions tiny_model_for(WeightType type);

/// The model as a GGUF file in memory, with a real small vocabulary (384 or 479 tokens, among them
/// <|im_start|> and <|im_end|>) and a ChatML chat template.
/// Errors: invalid_argument for sizes that do not fit together or to the weight type.
/// Cost: about a millisecond.
Result<std::vector<std::byte>> tiny_model_bytes(const TinyModelOptions& options = {});

/// Writes tiny_model_bytes to `path`. Errors: as tiny_model_bytes; device when it cannot be
/// written.
Result<void> write_tiny_model(const std::filesystem::path& path,
                              const TinyModelOptions& options = {});

}  // namespace troupe::model
