#include "options.h"

#include "troupe/core/block_math.h"

#include <algorithm>
#include <string>

namespace troupe::continuous {

Result<void> Options::read(const Params& params) {
  max_batch_tokens = static_cast<std::int32_t>(params.get_int("max_batch_tokens"));
  prefill_chunk = static_cast<std::int32_t>(params.get_int("prefill_chunk"));
  max_num_seqs = params.get_int("max_num_seqs");
  max_waiting = params.get_int("max_waiting");
  max_choices = params.get_int("max_choices");
  if (max_waiting < max_choices)
    return fail(ErrorCode::invalid_argument, "max_waiting = " + std::to_string(max_waiting) +
                                                 ": expected at least max_choices, which is " +
                                                 std::to_string(max_choices));
  return {};
}

Result<void> Options::fit(const ExecutorInfo& info) {
  const auto refuse = [](const char* what, std::int64_t found) {
    return fail(ErrorCode::invalid_argument, std::string("the executor has ") + what + " = " +
                                                 std::to_string(found) +
                                                 ": expected more than that to schedule for");
  };
  if (info.vocab_size < 1) return refuse("vocab_size", info.vocab_size);
  if (info.context_len < 2) return refuse("context_len", info.context_len);
  if (info.num_blocks < 1) return refuse("num_blocks", info.num_blocks);
  if (info.max_batch_tokens < 1) return refuse("max_batch_tokens", info.max_batch_tokens);
  if (max_batch_tokens > info.max_batch_tokens)
    return fail(ErrorCode::invalid_argument,
                "max_batch_tokens = " + std::to_string(max_batch_tokens) +
                    ": the executor takes at most " + std::to_string(info.max_batch_tokens) +
                    " tokens a step; 0 takes its limit");
  if (max_batch_tokens == 0) max_batch_tokens = info.max_batch_tokens;
  vocab_size = info.vocab_size;
  context_len = info.context_len;
  num_blocks = info.num_blocks;
  return {};
}

std::int64_t Options::max_tokens_per_sequence() const {
  return std::min<std::int64_t>(context_len, tokens_in(num_blocks));
}

}  // namespace troupe::continuous
