#include "troupe/api/plugin.h"

#include "plugins/executor/transformer/transformer.h"

namespace {

constexpr troupe::OperatorSpec kSpec =
    troupe::make_operator<troupe::transformer::TransformerExecutor, troupe::OperatorKind::executor>(
        "transformer",
        "runs decoder-only transformers (Llama family) from GGUF files on the processor",
        "Touvron et al., \"LLaMA\", 2023", troupe::transformer::kOptionSpecs,
        {.stateless = false, .deterministic = true, .threads = troupe::ThreadRule::owns_threads});

}  // namespace

TROUPE_PLUGIN(executor, transformer, kSpec)
