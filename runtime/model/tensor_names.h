#pragma once
#include <cstdint>
#include <string>
#include <string_view>

// What GGUF files call the tensors of a transformer.
namespace troupe::model {

inline constexpr std::string_view kTokenEmbedding =
    "token_embd.weight";                                               // [vocab_size, hidden_size]
inline constexpr std::string_view kOutputNorm = "output_norm.weight";  // [hidden_size]
inline constexpr std::string_view kOutputHead = "output.weight";       // [vocab_size, hidden_size]
inline constexpr std::string_view kRopeFrequencies = "rope_freqs.weight";  // [rope.dims / 2]

/// The name of a tensor of one layer: layer_tensor(3, "attn_q.weight") is "blk.3.attn_q.weight".
inline std::string layer_tensor(std::int64_t layer, std::string_view part) {
  return "blk." + std::to_string(layer) + "." + std::string(part);
}

}  // namespace troupe::model
