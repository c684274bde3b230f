#pragma once
#include "troupe/api/executor_info.h"
#include "troupe/api/params.h"
#include "troupe/api/result.h"

#include <array>
#include <cstdint>

namespace troupe::scheduling {

/// The parameters that every scheduler of this library has.
inline constexpr std::array kSharedParams = {
    ParamSpec{.name = "max_batch_tokens",
              .type = ParamType::integer,
              .default_value = "0",
              .help = "tokens that a step may have; 0 = as many as the executor takes",
              .unit = "tokens",
              .min = 0,
              .max = 1048576},
    ParamSpec{.name = "prefill_chunk",
              .type = ParamType::integer,
              .default_value = "512",
              .help = "tokens of one prompt that a step may have",
              .unit = "tokens",
              .min = 1,
              .max = 1048576},
    ParamSpec{.name = "adapt_prefill",
              .type = ParamType::boolean,
              .default_value = "true",
              .help = "give prompts only as much of a step as itl_factor or target_itl_ms leaves; "
                      "false = prefill_chunk alone is the limit"},
    ParamSpec{.name = "itl_factor",
              .type = ParamType::number,
              .default_value = "2.0",
              .help = "how much longer than one without a prompt a step that decodes may take",
              .min = 1,
              .max = 1000},
    ParamSpec{.name = "target_itl_ms",
              .type = ParamType::number,
              .default_value = "0",
              .help = "how long a step that decodes may take, in place of itl_factor; 0 = off",
              .unit = "ms",
              .min = 0,
              .max = 60000},
    ParamSpec{.name = "max_step_ms",
              .type = ParamType::number,
              .default_value = "100",
              .help =
                  "how long a step with prompts alone may take, so that cancellations and "
                  "refusals need not wait for long ones; 0 = off, as with adapt_prefill = false",
              .unit = "ms",
              .min = 0,
              .max = 60000},
    ParamSpec{.name = "min_prefill_tokens",
              .type = ParamType::integer,
              .default_value = "16",
              .help = "tokens of prompts that a step has in any case, so that prompts progress",
              .unit = "tokens",
              .min = 1,
              .max = 1048576},
    ParamSpec{.name = "max_num_seqs",
              .type = ParamType::integer,
              .default_value = "256",
              .help = "sequences that may run at once",
              .unit = "sequences",
              .min = 1,
              .max = 65536},
    ParamSpec{.name = "max_waiting",
              .type = ParamType::integer,
              .default_value = "1024",
              .help = "sequences that may wait; requests beyond are refused",
              .unit = "sequences",
              .min = 1,
              .max = 1048576},
    ParamSpec{.name = "max_waiting_per_tenant",
              .type = ParamType::integer,
              .default_value = "0",
              .help = "sequences of one tenant that may wait; 0 = as many as max_waiting",
              .unit = "sequences",
              .min = 0,
              .max = 1048576},
    ParamSpec{.name = "max_choices",
              .type = ParamType::integer,
              .default_value = "8",
              .help = "choices that one request may ask for (its n)",
              .unit = "choices",
              .min = 1,
              .max = 1024},
    ParamSpec{.name = "preemption",
              .type = ParamType::text,
              .default_value = "\"auto\"",
              .help = "how a stopped sequence gets its keys and values back: computed again, moved "
                      "to a lower tier and back, or what is estimated to take less time",
              .choices = "auto|recompute|swap"},
    ParamSpec{.name = "refuse_late",
              .type = ParamType::boolean,
              .default_value = "false",
              .help = "refuse a request at once when its deadline is estimated to pass before its "
                      "first token"}};

/// One parameter table from two.
template <std::size_t a, std::size_t b>
constexpr std::array<ParamSpec, a + b> join_params(const std::array<ParamSpec, a>& first,
                                                   const std::array<ParamSpec, b>& second) {
  std::array<ParamSpec, a + b> all{};
  for (std::size_t i = 0; i < a; ++i)
    all[i] = first[i];
  for (std::size_t i = 0; i < b; ++i)
    all[a + i] = second[i];
  return all;
}

enum class Preemption : std::uint8_t { automatic, recompute, swap };

/// The parameters, and what the executor can take.
struct Options {
  std::int32_t max_batch_tokens = 0;
  std::int32_t prefill_chunk = 512;
  bool adapt_prefill = true;
  double itl_factor = 2;
  double target_itl_ms = 0;  // 0 = itl_factor counts
  double max_step_ms = 100;  // of a step with prompts alone; 0 = off
  std::int32_t min_prefill_tokens = 16;
  std::int64_t max_num_seqs = 256;
  std::int64_t max_waiting = 1024;
  std::int64_t max_waiting_per_tenant = 0;
  std::int64_t max_choices = 8;
  Preemption preemption = Preemption::automatic;
  bool refuse_late = false;
  bool serves_priority = false;  // of the policy

  std::int32_t vocab_size = 0;
  std::int32_t context_len = 0;  // positions a sequence may have
  std::int64_t num_blocks = 0;
  std::int64_t num_swap_slots = 0;  // blocks that the lower tiers hold
  std::int64_t kv_bytes_per_token = 0;
  std::int32_t sliding_window = 0;  // 0 = none

  /// Errors: invalid_argument (values that contradict each other).
  Result<void> read(const Params& params);
  /// Errors: invalid_argument (more than the executor takes, or an executor of no use).
  Result<void> fit(const ExecutorInfo& info);
  /// Positions that a sequence may have when it has the pool to itself.
  std::int64_t max_tokens_per_sequence() const;
  /// Positions that are never read again once `num_computed` are computed (sliding window).
  std::int32_t first_needed(std::int32_t num_computed) const {
    return sliding_window == 0 || num_computed < sliding_window ? 0
                                                                : num_computed - sliding_window + 1;
  }
};

}  // namespace troupe::scheduling
