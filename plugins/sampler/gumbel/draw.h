#pragma once
#include "noise.h"
#include "pool.h"
#include "row_scan.h"

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace troupe::gumbel {

/// Which tokens of a row take part in a draw: those that no filter took out.
struct Kept {
  /// The last one in the order of `before`; by default the last of all that are alive.
  Candidate edge{-std::numeric_limits<float>::infinity(), std::numeric_limits<TokenId>::max()};
  /// The smallest scaled logit.
  float limit = -std::numeric_limits<float>::infinity();
};

/// The kept token of a row [vocab_size] with the largest (logit - max) / temperature +
/// noise(seed, position, token); the smaller id on a tie. Noise is only made where it could decide.
/// Pre: `best` is the row's largest and is kept; temperature > 0.
TokenId draw(std::span<const float> logits, Candidate best, float temperature, const Kept& kept,
             DrawKey key);

/// The token of the pool with the largest y + noise, the smaller id on a tie; `room` is
/// overwritten. A draw from a row of which the pool holds what was kept gives the same.
TokenId draw(const Pool& pool, std::size_t vocab_size, std::vector<float>& room, DrawKey key);

}  // namespace troupe::gumbel
