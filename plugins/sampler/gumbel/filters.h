#pragma once
#include "head_reaching.h"
#include "noise.h"
#include "pool.h"
#include "troupe/api/sampling.h"

#include <span>

namespace troupe::gumbel {

// Each filter works on what those before it left, and leaves one token at least. All but typical_p
// and xtc keep the most probable one.

/// The `count` largest; of equal ones those with smaller ids.
void keep_top_k(Pool& pool, std::size_t count, RankedRoom& room);

/// The smallest set of most probable tokens whose probability reaches `p`.
void keep_top_p(Pool& pool, float p, RankedRoom& room);

/// Tokens at least `share` times as probable as the most probable one. Pre: 0 < share <= 1.
void keep_min_p(Pool& pool, float share);

/// The smallest set of tokens with probability `p` whose information is nearest to the entropy.
/// Source: Meister et al., "Locally typical sampling", TACL 11, 2023.
void keep_typical(Pool& pool, float p, RankedRoom& room);

/// Tokens at most `n` standard deviations of the logits below the largest.
/// Source: Tang et al., "Top-n-sigma: not all logits are you need", 2024.
void keep_top_n_sigma(Pool& pool, float n);

/// With probability `probability`, all tokens at least as probable as `threshold` go but the least
/// probable of them, when there are two or more.
void exclude_top_choices(Pool& pool, float probability, float threshold, DrawKey key);

/// The temperature the parameters ask for here; with dynatemp_range it depends on the entropy of
/// what is left, whose temperature must be 1. Never below the smallest normal number.
/// Source: Zhu et al., "EDT: improving LLMs' generation by entropy-based dynamic temperature
/// sampling", 2024; the formula is that of its use with a range and an exponent.
float temperature_for(Pool& pool, const SamplingParams& params);

/// The bound on surprise, in bits, after tokens that surprised by so much.
/// Source: Basu et al., "Mirostat", ICLR 2021, in the form that needs no estimate of a vocabulary.
double mirostat_bound(const SamplingParams& params, std::span<const float> surprises);

/// Tokens whose surprise is at most `bound` bits; else the most probable alone.
void keep_unsurprising(Pool& pool, double bound);

/// The surprise of drawing a token of the pool, in bits. Pre: the token is in the pool.
float surprise_of(Pool& pool, TokenId token);

}  // namespace troupe::gumbel
