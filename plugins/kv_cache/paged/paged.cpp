#include "paged_cache.h"
#include "troupe/api/plugin.h"

namespace troupe::paged {
namespace {

constexpr ParamSpec kParams[] = {
    {.name = "num_blocks",
     .type = ParamType::integer,
     .default_value = "0",
     .help = "blocks of 16 tokens to hand out; 0 = all that the executor has",
     .unit = "blocks",
     .min = 0,
     .max = 4294967295.0},
    {.name = "prefix_cache",
     .type = ParamType::boolean,
     .default_value = "true",
     .help = "keep the keys and values of released sequences for prompts that begin alike"}};

constexpr OperatorSpec kSpec = make_operator<PagedCache, OperatorKind::kv_cache>(
    "paged", "blocks of 16 tokens on demand, shared by equal prefixes, swapped to lower tiers",
    "Kwon et al., Efficient Memory Management for Large Language Model Serving with "
    "PagedAttention, SOSP 2023",
    kParams);

}  // namespace
}  // namespace troupe::paged

TROUPE_PLUGIN(kv_cache, paged, troupe::paged::kSpec)
