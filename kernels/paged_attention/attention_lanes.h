#pragma once
#include "kernels/paged_attention/attention_tile.h"

// The one source of all paged_attention variants; each of their files includes it.
namespace troupe::kernels {
inline namespace TROUPE_ISA {

template <KvPrecision precision>
class Attention {
 public:
  static void write(const KvWrite& token) {
    using Element = KvElement<precision>;
    using Stored = typename Element::Stored;
    const auto& layout = token.layout;
    for (int head = 0; head < layout.num_kv_heads; ++head) {
      std::byte* base = token.block + head * layout.head_bytes();
      auto* keys = reinterpret_cast<Stored*>(base) + token.slot;
      auto* values =
          reinterpret_cast<Stored*>(base + layout.key_bytes()) + token.slot * layout.padded_dim();
      const int first = head * layout.head_dim;
      for (int d = 0; d < layout.head_dim; ++d) {
        keys[d * kBlockSize] = Element::of(token.keys[first + d]);
        values[d] = Element::of(token.values[first + d]);
      }
    }
  }

  static void attend(const AttentionRows& rows) {
    Attention attention(rows);
    for (int query = 0; query < rows.num_queries(); query += kTileQueries) {
      const int last_chunk = attention.load_tile(query) / kAttentionChunk;
      for (int chunk = 0; chunk <= last_chunk; ++chunk) {
        attention.compute_chunk(chunk);
        attention.merge_tile(chunk);
      }
      attention.finish_tile();
    }
  }

  static void attend_chunk(const AttentionRows& rows, std::int32_t chunk, std::int32_t num_chunks,
                           float* partials) {
    Attention attention(rows);
    const std::int64_t size = attention.partial_floats_;
    for (int query = 0; query < rows.num_queries(); query += kTileQueries) {
      if (attention.load_tile(query) < chunk * kAttentionChunk) continue;
      attention.compute_chunk(chunk);
      for (int i = 0; i < attention.num_queries_; ++i) {
        const std::int64_t slot = std::int64_t{query + i} * num_chunks + chunk;
        if (attention.tokens_seen(i, chunk) > 0)
          copy(attention.partial(i).values, partials + slot * size, size);
      }
    }
  }

  static void combine(const AttentionRows& rows, std::int32_t num_chunks, const float* partials) {
    Attention attention(rows);
    const std::int64_t size = attention.partial_floats_;
    for (int query = 0; query < rows.num_queries(); query += kTileQueries) {
      attention.set_tile(query);
      for (int i = 0; i < attention.num_queries_; ++i)
        for (int chunk = 0; chunk <= attention.position(i) / kAttentionChunk; ++chunk) {
          const std::int64_t slot = std::int64_t{query + i} * num_chunks + chunk;
          copy(partials + slot * size, attention.partial(i).values, size);
          attention.merge(i, chunk);
        }
      attention.finish_tile();
    }
  }

 private:
  explicit Attention(const AttentionRows& rows)
      : rows_(rows), partial_floats_(attention_partial_floats(rows.layout)) {
    tile_.queries = rows.scratch;
    tile_.weights = tile_.queries + kTileQueries * rows.layout.padded_dim();
    tile_.partial = tile_.weights + kTileQueries * kAttentionChunk;
    tile_.total = tile_.partial + kTileQueries * partial_floats_;
  }

  static void copy(const float* from, float* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = from[i];
  }

  Partial partial(int i) const {
    return {tile_.partial + i * partial_floats_, rows_.layout.padded_dim()};
  }
  Partial total(int i) const {
    return {tile_.total + i * partial_floats_, rows_.layout.padded_dim()};
  }

  void set_tile(int first_query) {
    first_query_ = first_query;
    const int left = rows_.num_queries() - first_query;
    num_queries_ = left < kTileQueries ? left : kTileQueries;
  }

  int row(int i) const { return (first_query_ + i) / rows_.group(); }
  int position(int i) const { return rows_.first_position + row(i); }
  /// Where query i of the tile lies in its row of queries or outputs.
  std::int64_t head_offset(int i) const {
    const int head = rows_.kv_head * rows_.group() + (first_query_ + i) % rows_.group();
    return std::int64_t{head} * rows_.layout.head_dim;
  }
  /// How many tokens of a chunk query i sees; not above kAttentionChunk, negative for later chunks.
  int tokens_seen(int i, int chunk) const {
    const int seen = position(i) + 1 - chunk * kAttentionChunk;
    return seen < kAttentionChunk ? seen : kAttentionChunk;
  }

  /// Scales the queries of a tile into scratch memory. Returns the largest position.
  int load_tile(int first_query) {
    set_tile(first_query);
    const int size = rows_.layout.head_dim;
    for (int i = 0; i < num_queries_; ++i) {
      const float* query = rows_.queries + row(i) * rows_.query_stride + head_offset(i);
      for (int d = 0; d < size; ++d)
        tile_.queries[i * size + d] = query[d] * rows_.scale;
    }
    return position(num_queries_ - 1);
  }

  /// Leaves in partial(i) what query i gets from the chunk, for the queries that see any of it.
  void compute_chunk(int chunk) {
    const int most = tokens_seen(num_queries_ - 1, chunk);
    const int blocks = (most + kBlockSize - 1) / kBlockSize;
    ChunkBlocks heads;
    for (int block = 0; block < blocks; ++block) {
      const std::int64_t id = rows_.table[chunk * kChunkBlocks + block].value;
      heads.head[block] =
          rows_.pool + id * rows_.layout.block_bytes() + rows_.kv_head * rows_.layout.head_bytes();
    }
    int first = 0;
    while (first < num_queries_ && tokens_seen(first, chunk) <= 0)
      ++first;
    for (; first < num_queries_; first += kPassQueries)
      compute_first<kPassQueries>(num_queries_ - first, first, chunk, heads);
  }

  /// A pass over the next N queries, or over `left` when those are fewer.
  template <int N>
  void compute_first(int left, int first, int chunk, const ChunkBlocks& heads) {
    if constexpr (N > 1)
      if (left < N) return compute_first<N - 1>(left, first, chunk, heads);
    compute_pass<N>(first, chunk, heads);
  }

  template <int N>
  void compute_pass(int first, int chunk, const ChunkBlocks& heads) {
    const auto& layout = rows_.layout;
    float* weights = tile_.weights + first * kAttentionChunk;
    const int blocks = (tokens_seen(first + N - 1, chunk) + kBlockSize - 1) / kBlockSize;
    score_blocks<precision, N>(tile_.queries + first * layout.head_dim, heads, blocks,
                               layout.head_dim, weights);
    for (int i = 0; i < N; ++i) {
      weigh_scores(weights + i * kAttentionChunk, tokens_seen(first + i, chunk),
                   partial(first + i));
      for (int d = 0; d < layout.padded_dim(); ++d)
        partial(first + i).values[d] = 0;
    }
    // Tokens that all N see are shared; past them each query goes on alone, since a slot that it
    // does not see may hold anything, and 0 * NaN is NaN.
    const int shared = tokens_seen(first, chunk);
    add_all_values<precision, N>(weights, heads, layout, 0, shared, partial(first).values,
                                 static_cast<int>(partial_floats_));
    for (int i = 1; i < N; ++i)
      if (tokens_seen(first + i, chunk) > shared)
        add_all_values<precision, 1>(weights + i * kAttentionChunk, heads, layout, shared,
                                     tokens_seen(first + i, chunk), partial(first + i).values, 0);
  }

  void merge_tile(int chunk) {
    for (int i = 0; i < num_queries_; ++i)
      if (tokens_seen(i, chunk) > 0) merge(i, chunk);
  }

  /// Adds partial(i), of `chunk`, to total(i), of all chunks before it.
  void merge(int i, int chunk) {
    const Partial part = partial(i), sum = total(i);
    if (chunk == 0) return copy(part.values, sum.values, partial_floats_);
    const float old = sum.largest(), next = part.largest();
    const float largest = old > next ? old : next;
    const F32x16 old_scale = exp(F32x16::all(old - largest));
    const F32x16 next_scale = exp(F32x16::all(next - largest));
    for (int d = 0; d < rows_.layout.padded_dim(); d += 16) {
      const F32x16 scaled = F32x16::load(part.values + d) * next_scale;
      fma(F32x16::load(sum.values + d), old_scale, scaled).store(sum.values + d);
    }
    float weight[16];
    fma(F32x16::all(sum.sum()), old_scale, F32x16::all(part.sum()) * next_scale).store(weight);
    sum.sum() = weight[0];
    sum.largest() = largest;
  }

  void finish_tile() {
    const int size = rows_.layout.head_dim;
    for (int i = 0; i < num_queries_; ++i) {
      float* output = rows_.output + row(i) * rows_.output_stride + head_offset(i);
      const float sum = total(i).sum();
      for (int d = 0; d < size; ++d)
        output[d] = total(i).values[d] / sum;
    }
  }

  const AttentionRows& rows_;
  const std::int64_t partial_floats_;
  Tile tile_{};
  int first_query_ = 0;
  int num_queries_ = 0;
};

/// The table entry of one precision.
template <KvPrecision precision>
constexpr PagedAttention attention_of(std::string_view name) {
  using A = Attention<precision>;
  return {name, A::write, A::attend, A::attend_chunk, A::combine};
}

}  // namespace TROUPE_ISA
}  // namespace troupe::kernels
