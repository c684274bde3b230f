#include "random_loop.h"

namespace troupe::simulation {

ExecutorInfo random_executor(Dice& dice) {
  ExecutorInfo info;
  info.vocab_size = dice.from(20, 60);
  info.context_len = dice.from(20, 160);
  info.num_blocks = dice.from(2, dice.one_in(2) ? 8 : 40);
  info.max_batch_tokens = dice.from(3, 80);
  info.num_host_slots = dice.one_in(3) ? 0 : dice.from(1, 12);
  info.num_file_slots = dice.one_in(3) ? dice.from(1, 12) : 0;
  return info;
}

RandomScheduler random_scheduler(Dice& dice, const ExecutorInfo& executor) {
  const bool tiers = executor.num_host_slots + executor.num_file_slots > 0;
  constexpr const char* kPreemption[] = {"auto", "recompute", "swap"};
  constexpr const char* kPolicies[] = {"fcfs", "priority", "deadline", "fair"};
  RandomScheduler scheduler;
  scheduler.plugin = dice.one_in(8) ? "static" : "continuous";
  scheduler.params = {{"max_batch_tokens", dice.one_in(2) ? 0 : dice.from(1, 3)},
                      {"prefill_chunk", dice.from(1, 40)},
                      {"max_num_seqs", dice.from(1, 12)},
                      {"max_waiting", dice.from(4, 30)},
                      {"max_choices", 4},
                      {"preemption", kPreemption[tiers && dice.one_in(2) ? 2 : dice.from(0, 1)]}};
  if (scheduler.plugin == "static") return scheduler;
  scheduler.params.emplace_back("policy", kPolicies[dice.from(0, 3)]);
  scheduler.params.emplace_back("ageing_ms", dice.from(1, 100));
  return scheduler;
}

}  // namespace troupe::simulation
