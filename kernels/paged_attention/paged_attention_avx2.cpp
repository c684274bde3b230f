#include "kernels/paged_attention/attention_lanes.h"
#include "kernels/paged_attention/paged_attention_variants.h"

namespace troupe::kernels {

constinit const PagedAttention kPagedAttentionAvx2[kKvPrecisions] = {
    attention_of<KvPrecision::f32>("avx2"), attention_of<KvPrecision::bf16>("avx2"),
    attention_of<KvPrecision::f16>("avx2"), attention_of<KvPrecision::int8>("avx2")};

}  // namespace troupe::kernels
