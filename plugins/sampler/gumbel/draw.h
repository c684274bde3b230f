#pragma once
#include "row_scan.h"

#include <cstdint>
#include <span>

namespace troupe::gumbel {

/// What keys the noise of one draw.
struct DrawKey {
  std::uint64_t seed = 0;
  std::int32_t position = 0;
};

/// The candidate with the largest (logit - max) / temperature + noise(seed, position, token); the
/// smaller id on a tie. The order of the candidates does not matter.
/// Pre: `candidates` is not empty, `max` is the row's largest logit, temperature > 0.
TokenId draw(std::span<const Candidate> candidates, float max, float temperature, DrawKey key);

/// The same over a whole row [vocab_size], `best` being its largest: tokens whose scaled logit is
/// below `limit` are left out. Noise is only made where it could decide.
TokenId draw_from_row(std::span<const float> logits, Candidate best, float temperature, float limit,
                      DrawKey key);

}  // namespace troupe::gumbel
