#include "troupe/scheduling/options.h"

#include "troupe/core/block_math.h"

#include <algorithm>
#include <string>

namespace troupe::scheduling {

Result<void> Options::read(const Params& params) {
  max_batch_tokens = static_cast<std::int32_t>(params.get_int("max_batch_tokens"));
  prefill_chunk = static_cast<std::int32_t>(params.get_int("prefill_chunk"));
  adapt_prefill = params.get_bool("adapt_prefill");
  itl_factor = params.get_number("itl_factor");
  target_itl_ms = params.get_number("target_itl_ms");
  max_step_ms = params.get_number("max_step_ms");
  min_prefill_tokens = static_cast<std::int32_t>(params.get_int("min_prefill_tokens"));
  max_num_seqs = params.get_int("max_num_seqs");
  max_waiting = params.get_int("max_waiting");
  max_waiting_per_tenant = params.get_int("max_waiting_per_tenant");
  max_choices = params.get_int("max_choices");
  const auto& way = params.get_text("preemption");
  preemption = way == "recompute" ? Preemption::recompute
               : way == "swap"    ? Preemption::swap
                                  : Preemption::automatic;
  refuse_late = params.get_bool("refuse_late");
  const auto refuse = [this](const char* name, std::int64_t found) {
    return fail(ErrorCode::invalid_argument, std::string(name) + " = " + std::to_string(found) +
                                                 ": expected at least max_choices, which is " +
                                                 std::to_string(max_choices));
  };
  if (max_waiting < max_choices) return refuse("max_waiting", max_waiting);
  if (max_waiting_per_tenant != 0 && max_waiting_per_tenant < max_choices)
    return refuse("max_waiting_per_tenant", max_waiting_per_tenant);
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
  if (info.sliding_window < 0) return refuse("sliding_window", info.sliding_window);
  if (max_batch_tokens > info.max_batch_tokens)
    return fail(ErrorCode::invalid_argument,
                "max_batch_tokens = " + std::to_string(max_batch_tokens) +
                    ": the executor takes at most " + std::to_string(info.max_batch_tokens) +
                    " tokens a step; 0 takes its limit");
  if (preemption == Preemption::swap && info.num_host_slots + info.num_file_slots == 0)
    return fail(ErrorCode::invalid_argument,
                "preemption = \"swap\": the executor has no lower tier to swap to; give it one, or "
                "take \"auto\"");
  if (max_batch_tokens == 0) max_batch_tokens = info.max_batch_tokens;
  prefill_chunk = std::min(prefill_chunk, max_batch_tokens);
  vocab_size = info.vocab_size;
  context_len = info.context_len;
  num_blocks = info.num_blocks;
  num_swap_slots = info.num_host_slots + info.num_file_slots;
  kv_bytes_per_token = info.kv_bytes_per_token;
  sliding_window = info.sliding_window;
  return {};
}

std::int64_t Options::max_tokens_per_sequence() const {
  // With a window, a sequence never holds more blocks than the window and one chunk lie in.
  if (sliding_window > 0 && blocks_for(sliding_window + prefill_chunk) + 1 <= num_blocks)
    return context_len;
  return std::min<std::int64_t>(context_len, tokens_in(num_blocks));
}

}  // namespace troupe::scheduling
