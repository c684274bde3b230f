#pragma once
#include "troupe/api/executor.h"

#include <functional>
#include <span>

namespace troupe::golden {

/// Runs a prompt through an executor alone, from position 0 in blocks 0, 1, ..., in steps of at
/// most `chunk` tokens, and calls `row(position, logits)` for every position; `logits` [vocab_size]
/// live until it returns. Pre: started; chunk > 0; the prompt fits the executor's blocks and
/// context. Errors: those of the step or of the sequence.
Result<void> run_prompt(Executor& executor, std::span<const TokenId> ids, std::int32_t chunk,
                        const std::function<void(std::int32_t, std::span<const float>)>& row);

}  // namespace troupe::golden
