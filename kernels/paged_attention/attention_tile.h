#pragma once
#include "kernels/lanes/exp.h"
#include "kernels/paged_attention/kv_element.h"
#include "kernels/paged_attention/paged_attention.h"

// The inner loops of attention: a tile of queries of one sequence and KV head against one chunk of
// tokens. For the files of this folder only.
namespace troupe::kernels {
inline namespace TROUPE_ISA {

using lanes::F32x16;

inline constexpr int kTileQueries = 16;
inline constexpr int kChunkBlocks = kAttentionChunk / kBlockSize;
// What one pass keeps in registers; no choice here changes a result.
#if defined(TROUPE_ISA_AVX512)
inline constexpr int kPassQueries = 6;
inline constexpr int kPassVectors = 4;  // of dimensions, beside each query
inline constexpr int kPairQueries = 6;  // up to so many queries, two blocks are scored at once
#else
inline constexpr int kPassQueries = 3;
inline constexpr int kPassVectors = 2;
inline constexpr int kPairQueries = 1;
#endif

/// The scratch memory of a thread, cut up. Queries are already scaled.
struct Tile {
  float* queries;  // [kTileQueries][head_dim]
  float* weights;  // [kTileQueries][kAttentionChunk]: scores, then exp(score - largest)
  float* partial;  // [kTileQueries][partial floats]: of the present chunk
  float* total;    // [kTileQueries][partial floats]: of all chunks so far
};

/// One query's result over some tokens: values [padded_dim], then the largest score and the sum of
/// weights.
struct Partial {
  float* values;
  std::int32_t padded_dim;
  float& largest() const { return values[padded_dim]; }
  float& sum() const { return values[padded_dim + 1]; }
};

/// The keys of one head in each block of a chunk that is read; values follow each.
struct ChunkBlocks {
  const std::byte* head[kChunkBlocks];
};

/// Tokens first .. last - 1 of a chunk; none when last <= first.
struct TokenRange {
  int first;
  int last;
  int first_block() const { return first / kBlockSize; }
  int end_block() const { return (last + kBlockSize - 1) / kBlockSize; }
  bool empty() const { return last <= first; }
};

/// Scores of N queries against B blocks, side by side so that sums wait less for each other. Lane =
/// token, so the sum over head_dim runs in one order.
template <KvPrecision precision, int N, int B>
void score_together(const float* queries, const std::byte* const* heads, int head_dim,
                    float* scores) {
  using Element = KvElement<precision>;
  const typename Element::Stored* keys[B];
  F32x16 sum[B][N];
  for (int b = 0; b < B; ++b) {
    keys[b] = reinterpret_cast<const typename Element::Stored*>(heads[b]);
    for (int q = 0; q < N; ++q)
      sum[b][q] = F32x16::zero();
  }
  for (int d = 0; d < head_dim; ++d)
    for (int b = 0; b < B; ++b) {
      const F32x16 key = Element::load(keys[b] + d * kBlockSize);
      for (int q = 0; q < N; ++q)
        sum[b][q] = fma(key, F32x16::all(queries[q * head_dim + d]), sum[b][q]);
    }
  for (int b = 0; b < B; ++b)
    for (int q = 0; q < N; ++q)
      sum[b][q].store(scores + q * kAttentionChunk + b * kBlockSize);
}

/// Scores of N queries against the blocks first .. last - 1 of a chunk.
template <KvPrecision precision, int N>
void score_blocks(const float* queries, const ChunkBlocks& chunk, int first, int last, int head_dim,
                  float* scores) {
  int block = first;
  if constexpr (N <= kPairQueries)
    for (; block + 2 <= last; block += 2)
      score_together<precision, N, 2>(queries, chunk.head + block, head_dim,
                                      scores + block * kBlockSize);
  for (; block < last; ++block)
    score_together<precision, N, 1>(queries, chunk.head + block, head_dim,
                                    scores + block * kBlockSize);
}

/// x where a lane is one of the tokens first .. last - 1 of the chunk that the query sees, else
/// `other`. Lane 0 is token `base`.
inline F32x16 seen_lanes(const TokenRange& seen, int base, F32x16 x, F32x16 other) {
  const F32x16 until_last = first_lanes(seen.last - base, x, other);
  return seen.first <= base ? until_last : first_lanes(seen.first - base, other, until_last);
}

/// The scales of a head's keys or values in a block of the chunk, one for each token. Pre: int8.
inline F32x16 block_scales(const std::byte* head, const KvBlockLayout& layout, int values) {
  return F32x16::load(reinterpret_cast<const float*>(head + layout.scales_offset()) +
                      values * kBlockSize);
}

/// Turns the scores of the tokens that a query sees into weights exp(score - largest), which are
/// multiplied by the scales of the values when these have any; other lanes of their blocks become 0
/// or have no meaning.
template <KvPrecision precision>
void weigh_scores(float* scores, const TokenRange& seen, const ChunkBlocks& chunk,
                  const KvBlockLayout& layout, const Partial& partial) {
  const F32x16 lowest = F32x16::all(-__builtin_inff());
  F32x16 most = lowest;
  for (int block = seen.first_block(); block < seen.end_block(); ++block) {
    F32x16 score = F32x16::load(scores + block * kBlockSize);
    if constexpr (precision == KvPrecision::int8) {
      score = score * block_scales(chunk.head[block], layout, 0);
      score.store(scores + block * kBlockSize);
    }
    most = max(seen_lanes(seen, block * kBlockSize, score, lowest), most);
  }
  const float largest = reduce_max(most);
  F32x16 sum = F32x16::zero();
  for (int block = seen.first_block(); block < seen.end_block(); ++block) {
    const F32x16 score = F32x16::load(scores + block * kBlockSize);
    F32x16 weight =
        seen_lanes(seen, block * kBlockSize, exp(score - F32x16::all(largest)), F32x16::zero());
    sum = sum + weight;
    if constexpr (precision == KvPrecision::int8)
      weight = weight * block_scales(chunk.head[block], layout, 1);
    weight.store(scores + block * kBlockSize);
  }
  partial.largest() = largest;
  partial.sum() = reduce_sum(sum);
}

/// values += weights * V for N queries and the tokens first .. last - 1 of the chunk, in order, for
/// V vectors of dimensions from `dim` on. Lane = dimension.
template <KvPrecision precision, int N, int V>
void add_values(const float* weights, const ChunkBlocks& chunk, const KvBlockLayout& layout,
                int dim, int first, int last, float* values, int values_stride) {
  using Element = KvElement<precision>;
  const std::int64_t key_bytes = layout.key_bytes();
  const std::int32_t stride = layout.padded_dim();
  F32x16 sum[N][V];
  for (int q = 0; q < N; ++q)
    for (int v = 0; v < V; ++v)
      sum[q][v] = F32x16::load(values + q * values_stride + dim + 16 * v);
  for (int token = first; token < last;) {
    const int slot = token % kBlockSize;
    const int left = last - token < kBlockSize - slot ? last - token : kBlockSize - slot;
    const auto* row = reinterpret_cast<const typename Element::Stored*>(
                          chunk.head[token / kBlockSize] + key_bytes) +
                      slot * stride + dim;
    const float* weight = weights + token;
    for (const float* const end = weight + left; weight < end; ++weight, row += stride) {
      F32x16 value[V];
      for (int v = 0; v < V; ++v)
        value[v] = Element::load(row + 16 * v);
      for (int q = 0; q < N; ++q) {
        const F32x16 factor = F32x16::all(weight[q * kAttentionChunk]);
        for (int v = 0; v < V; ++v)
          sum[q][v] = fma(value[v], factor, sum[q][v]);
      }
    }
    token += left;
  }
  for (int q = 0; q < N; ++q)
    for (int v = 0; v < V; ++v)
      sum[q][v].store(values + q * values_stride + dim + 16 * v);
}

/// As add_values for all dimensions.
template <KvPrecision precision, int N>
void add_all_values(const float* weights, const ChunkBlocks& chunk, const KvBlockLayout& layout,
                    const TokenRange& tokens, float* values, int values_stride) {
  int dim = 0;
  for (; dim + 16 * kPassVectors <= layout.padded_dim(); dim += 16 * kPassVectors)
    add_values<precision, N, kPassVectors>(weights, chunk, layout, dim, tokens.first, tokens.last,
                                           values, values_stride);
  for (; dim < layout.padded_dim(); dim += 16)
    add_values<precision, N, 1>(weights, chunk, layout, dim, tokens.first, tokens.last, values,
                                values_stride);
}

}  // namespace TROUPE_ISA
}  // namespace troupe::kernels
