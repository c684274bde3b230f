#include "kernels/paged_attention/attention_lanes.h"
#include "kernels/paged_attention/paged_attention_variants.h"

namespace troupe::kernels {

constinit const PagedAttention kPagedAttentionPortable[kKvPrecisions] = {
    attention_of<KvPrecision::f32>("portable"), attention_of<KvPrecision::bf16>("portable"),
    attention_of<KvPrecision::f16>("portable"), attention_of<KvPrecision::int8>("portable")};

const PagedAttention& paged_attention_for(CpuLevel level, KvPrecision precision) {
  const int index = static_cast<int>(precision);
#if defined(__x86_64__)
  if (level >= CpuLevel::avx512) return kPagedAttentionAvx512[index];
  if (level >= CpuLevel::avx2) return kPagedAttentionAvx2[index];
#endif
  static_cast<void>(level);
  return kPagedAttentionPortable[index];
}

std::int64_t attention_partial_floats(const KvBlockLayout& layout) {
  return layout.padded_dim() + 16;  // whole vectors, for alignment
}

std::int64_t attention_scratch_floats(const KvBlockLayout& layout) {
  return kTileQueries *
         (layout.padded_dim() + kAttentionChunk + 2 * attention_partial_floats(layout));
}

}  // namespace troupe::kernels
