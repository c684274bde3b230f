#pragma once
#include "kernels/paged_attention/kv_block.h"
#include "troupe/device/cpu_features.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe::kernels {

/// Tokens whose scores are normalised together: a chunk is 16 blocks. Chunks begin at multiples of
/// this, and their results are combined in order; both depend on a token's position alone.
inline constexpr std::int32_t kAttentionChunk = 16 * kBlockSize;

/// The key and value of one token, to be stored.
struct KvWrite {
  const float* keys;    // [num_kv_heads, head_dim]
  const float* values;  // [num_kv_heads, head_dim]
  std::byte* block;     // its block, layout.block_bytes() bytes
  std::int32_t slot;    // 0 .. kBlockSize - 1: its place in the block
  KvBlockLayout layout;
};

/// The first position that the token at `position` sees with a sliding window; 0 = no window.
constexpr std::int32_t first_seen(std::int32_t position, std::int32_t window) {
  return window > 0 && position >= window ? position - window + 1 : 0;
}

/// Consecutive positions of one sequence, seen by the query heads that share one KV head.
struct AttentionRows {
  const float* queries;  // [num_rows, num_heads, head_dim] float32, rows query_stride floats apart
  std::int64_t query_stride;
  float* output;  // as queries
  std::int64_t output_stride;
  std::int32_t num_rows;
  std::int32_t first_position;  // row i is the token at first_position + i and sees up to itself
  std::int32_t num_heads;       // a multiple of layout.num_kv_heads
  std::int32_t
      kv_head;  // query heads kv_head * group .. + group - 1, group = num_heads / num_kv_heads
  const std::byte* pool;  // this layer's blocks, block i at pool + i * layout.block_bytes()
  const BlockId* table;   // the sequence's blocks, for every position seen; others are not read
  KvBlockLayout layout;
  float scale;              // of the scores, 1 / sqrt(head_dim) as a rule
  float* scratch;           // attention_scratch_floats(layout) floats, for this thread alone
  std::int32_t window = 0;  // a row sees so many tokens, itself among them; 0 = all before it

  std::int32_t group() const { return num_heads / layout.num_kv_heads; }
  std::int32_t num_queries() const { return num_rows * group(); }
  /// The first chunk that any row sees.
  std::int32_t first_chunk() const { return first_seen(first_position, window) / kAttentionChunk; }
};

std::int64_t attention_scratch_floats(const KvBlockLayout& layout);
/// Floats that one chunk of one query leaves behind: its values, largest score and sum of weights.
std::int64_t attention_partial_floats(const KvBlockLayout& layout);

/// output = softmax(scale * queries keys^T) values, causal, with grouped query heads and perhaps a
/// sliding window. Bits: an output depends on its query, its position, the keys and values it sees
/// and their precision alone: not on other rows, the cut into calls, which blocks hold the tokens,
/// or the instruction set. `attend` does it all; `attend_chunk` does one chunk (of positions chunk
/// * kAttentionChunk ..) of all queries, for several threads to share a long context, and `combine`
/// then does the rest: the result is that of `attend`, bit for bit. A NaN or infinity among what a
/// query sees leaves a NaN in its output. Source: Dao et al., "FlashAttention", 2022; Kwon et al.,
/// "PagedAttention", 2023.
struct PagedAttention {
  std::string_view name;
  void (*write)(const KvWrite& token);
  void (*attend)(const AttentionRows& rows);
  /// partials: float32 [num_queries, num_chunks, attention_partial_floats(layout)], for the chunks
  /// rows.first_chunk() .. + num_chunks - 1. Pre: `chunk` is one of them.
  void (*attend_chunk)(const AttentionRows& rows, std::int32_t chunk, std::int32_t num_chunks,
                       float* partials);
  void (*combine)(const AttentionRows& rows, std::int32_t num_chunks, const float* partials);
};

/// The variant for a level and a precision. Pre: level <= cpu_level().
const PagedAttention& paged_attention_for(CpuLevel level, KvPrecision precision);

/// The specification: scalar, sums in double, over keys and values as they are stored.
void paged_attention_reference(const AttentionRows& rows);
void kv_write_reference(const KvWrite& token);

}  // namespace troupe::kernels
