#pragma once
#include "kernels/paged_attention/paged_attention.h"

// For the files of this folder only: one table per instruction set, by KvPrecision.
namespace troupe::kernels {

extern const PagedAttention kPagedAttentionPortable[kKvPrecisions];
extern const PagedAttention kPagedAttentionAvx2[kKvPrecisions];
extern const PagedAttention kPagedAttentionAvx512[kKvPrecisions];

}  // namespace troupe::kernels
