#pragma once
#include "troupe/api/request.h"
#include "troupe/api/result.h"
#include "troupe/api/sampling.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe {

/// The most log-probabilities per token that a request may ask for.
inline constexpr std::int32_t kMaxLogprobs = 20;
/// The most ids that StopParams::stop_token_ids may have.
inline constexpr std::size_t kMaxStopTokenIds = 256;
/// The most bad words and sequence breakers, each, and their bytes in all: every step looks at
/// them.
inline constexpr std::size_t kMaxWords = 256;
inline constexpr std::size_t kMaxWordBytes = 16 * 1024;
/// The largest size of a logit's bias, up or down.
inline constexpr float kMaxLogitBias = 100.0f;

/// The most bytes that Request::tenant and Request::cache_salt may have, each: some of them are
/// kept for longer than the request.
inline constexpr std::size_t kMaxNameBytes = 1024;

/// Whether every field has a value that runtime/api/sampling.h gives a meaning to: doors call it to
/// refuse a request early, the scheduler again before it accepts one.
/// `vocab_size` is the tokenizer's; 0 = not known yet, then ids are only checked to be >= 0.
/// Errors: invalid_argument, with the field, the value found and the values allowed.
Result<void> validate(const SamplingParams& sampling, const StopParams& stop,
                      std::int32_t vocab_size);

/// Whether the fields that concern a whole request fit together: n, best_of, stream, echo; and
/// that its tenant and cache salt are no longer than kMaxNameBytes.
/// Errors: as validate.
Result<void> validate_request(const Request& request);

/// Whether a request may have `n` choices. `field`: what the client asked for them with.
/// Errors: invalid_argument, with both numbers.
Result<void> validate_choices(std::int64_t n, std::int64_t max_choices,
                              std::string_view field = "n");

}  // namespace troupe
