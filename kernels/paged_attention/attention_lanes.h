#pragma once
#include "kernels/paged_attention/attention_tile.h"
#include "kernels/paged_attention/quantize_token.h"

// The one source of all paged_attention variants; each of their files includes it.
namespace troupe::kernels {
inline namespace TROUPE_ISA {

template <KvPrecision precision>
class Attention {
 public:
  static void write(const KvWrite& token) {
    const auto& layout = token.layout;
    for (int head = 0; head < layout.num_kv_heads; ++head)
      write_head(token, token.block + head * layout.head_bytes(), head * layout.head_dim);
  }

  static void attend(const AttentionRows& rows) {
    Attention attention(rows);
    for (int query = 0; query < rows.num_queries(); query += kTileQueries) {
      const int last_chunk = attention.load_tile(query) / kAttentionChunk;
      for (int chunk = attention.first_chunk(0); chunk <= last_chunk; ++chunk) {
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
        const std::int64_t slot = std::int64_t{query + i} * num_chunks + chunk - rows.first_chunk();
        if (!attention.tokens_seen(i, chunk).empty())
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
        for (int chunk = attention.first_chunk(i); chunk <= attention.position(i) / kAttentionChunk;
             ++chunk) {
          const std::int64_t slot =
              std::int64_t{query + i} * num_chunks + chunk - rows.first_chunk();
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

  static void write_head(const KvWrite& token, std::byte* head, int first) {
    using Stored = typename KvElement<precision>::Stored;
    const auto& layout = token.layout;
    const float* const key = token.keys + first;
    const float* const value = token.values + first;
    auto* keys = reinterpret_cast<Stored*>(head) + token.slot;
    auto* values =
        reinterpret_cast<Stored*>(head + layout.key_bytes()) + token.slot * layout.padded_dim();
    if constexpr (precision == KvPrecision::int8) {
      auto* scales = reinterpret_cast<float*>(head + layout.scales_offset()) + token.slot;
      scales[0] = int8_scale(key, layout.head_dim);
      scales[kBlockSize] = int8_scale(value, layout.head_dim);
      quantize_int8(value, layout.head_dim, scales[kBlockSize], values);
      std::int8_t piece[64];
      for (int d = 0; d < layout.head_dim; d += 64) {
        const int count = layout.head_dim - d < 64 ? layout.head_dim - d : 64;
        quantize_int8(key + d, count, scales[0], piece);
        for (int i = 0; i < count; ++i)
          keys[(d + i) * kBlockSize] = piece[i];
      }
    } else {
      for (int d = 0; d < layout.head_dim; ++d) {
        keys[d * kBlockSize] = KvElement<precision>::of(key[d]);
        values[d] = KvElement<precision>::of(value[d]);
      }
    }
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
  /// The first chunk that query i sees.
  int first_chunk(int i) const { return first_seen(position(i), rows_.window) / kAttentionChunk; }
  /// The tokens of a chunk that query i sees: none of later chunks, none of those before its
  /// window.
  TokenRange tokens_seen(int i, int chunk) const {
    const int base = chunk * kAttentionChunk;
    const int first = first_seen(position(i), rows_.window) - base;
    const int last = position(i) + 1 - base;
    return {first > 0 ? first : 0, last < kAttentionChunk ? last : kAttentionChunk};
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
    int first = 0, end = num_queries_;
    while (first < end && tokens_seen(first, chunk).empty())
      ++first;
    while (end > first && tokens_seen(end - 1, chunk).empty())
      --end;
    if (first == end) return;
    ChunkBlocks heads{};
    for (int block = tokens_seen(first, chunk).first_block();
         block < tokens_seen(end - 1, chunk).end_block(); ++block) {
      const std::int64_t id = rows_.table[chunk * kChunkBlocks + block].value;
      heads.head[block] =
          rows_.pool + id * rows_.layout.block_bytes() + rows_.kv_head * rows_.layout.head_bytes();
    }
    for (; first < end; first += kPassQueries)
      compute_first<kPassQueries>(end - first, first, chunk, heads);
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
    // Queries are in the order of their positions: the first sees the earliest tokens.
    const TokenRange earliest = tokens_seen(first, chunk);
    const TokenRange latest = tokens_seen(first + N - 1, chunk);
    score_blocks<precision, N>(tile_.queries + first * layout.head_dim, heads,
                               earliest.first_block(), latest.end_block(), layout.head_dim,
                               weights);
    for (int i = 0; i < N; ++i) {
      weigh_scores<precision>(weights + i * kAttentionChunk, tokens_seen(first + i, chunk), heads,
                              layout, partial(first + i));
      for (int d = 0; d < layout.padded_dim(); ++d)
        partial(first + i).values[d] = 0;
    }
    // Tokens that all N see are shared; before and past them each query goes alone, since a slot
    // that it does not see may hold anything, and 0 * NaN is NaN.
    const TokenRange shared{latest.first, earliest.last};
    if (N == 1 || shared.empty()) {
      for (int i = 0; i < N; ++i)
        add_alone(i, first, heads, tokens_seen(first + i, chunk));
      return;
    }
    for (int i = 0; i < N; ++i)
      add_alone(i, first, heads, {tokens_seen(first + i, chunk).first, shared.first});
    add_all_values<precision, N>(weights, heads, layout, shared, partial(first).values,
                                 static_cast<int>(partial_floats_));
    for (int i = 0; i < N; ++i)
      add_alone(i, first, heads, {shared.last, tokens_seen(first + i, chunk).last});
  }

  /// Adds the weighed values of some tokens to partial(first + i).
  void add_alone(int i, int first, const ChunkBlocks& heads, const TokenRange& tokens) {
    if (tokens.empty()) return;
    add_all_values<precision, 1>(tile_.weights + (first + i) * kAttentionChunk, heads, rows_.layout,
                                 tokens, partial(first + i).values, 0);
  }

  void merge_tile(int chunk) {
    for (int i = 0; i < num_queries_; ++i)
      if (!tokens_seen(i, chunk).empty()) merge(i, chunk);
  }

  /// Adds partial(i), of `chunk`, to total(i), of all chunks before it.
  void merge(int i, int chunk) {
    const Partial part = partial(i), sum = total(i);
    if (chunk == first_chunk(i)) return copy(part.values, sum.values, partial_floats_);
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
