#pragma once
#include "troupe/api/executor_info.h"
#include "troupe/api/params.h"
#include "troupe/api/result.h"

#include <cstdint>

namespace troupe::continuous {

inline constexpr ParamSpec kParams[] = {
    {.name = "max_batch_tokens",
     .type = ParamType::integer,
     .default_value = "0",
     .help = "tokens that a step may have; 0 = as many as the executor takes",
     .unit = "tokens",
     .min = 0,
     .max = 1048576},
    {.name = "prefill_chunk",
     .type = ParamType::integer,
     .default_value = "512",
     .help = "tokens of one prompt that a step may have",
     .unit = "tokens",
     .min = 1,
     .max = 1048576},
    {.name = "max_num_seqs",
     .type = ParamType::integer,
     .default_value = "256",
     .help = "sequences that may run at once",
     .unit = "sequences",
     .min = 1,
     .max = 65536},
    {.name = "max_waiting",
     .type = ParamType::integer,
     .default_value = "1024",
     .help = "sequences that may wait; requests beyond are refused",
     .unit = "sequences",
     .min = 1,
     .max = 1048576},
    {.name = "max_choices",
     .type = ParamType::integer,
     .default_value = "8",
     .help = "choices that one request may ask for (its n)",
     .unit = "choices",
     .min = 1,
     .max = 1024}};

/// The parameters, and what the executor can take.
struct Options {
  std::int32_t max_batch_tokens = 0;
  std::int32_t prefill_chunk = 512;
  std::int64_t max_num_seqs = 256;
  std::int64_t max_waiting = 1024;
  std::int64_t max_choices = 8;

  std::int32_t vocab_size = 0;
  std::int32_t context_len = 0;  // positions a sequence may have
  std::int64_t num_blocks = 0;

  /// Errors: invalid_argument (values that contradict each other).
  Result<void> read(const Params& params);
  /// Errors: invalid_argument (more than the executor takes, or an executor of no use).
  Result<void> fit(const ExecutorInfo& info);
  /// Positions that a sequence may have when it has the pool to itself.
  std::int64_t max_tokens_per_sequence() const;
};

}  // namespace troupe::continuous
