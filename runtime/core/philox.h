#pragma once
#include "troupe/api/ids.h"

#include <array>
#include <cstdint>

namespace troupe {

/// A counter-based generator of random bits: a pure function of key and counter, with no state.
/// Equal inputs give equal bits on every machine.
/// Source: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11 (Philox 4x32-10).
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

/// What a random number is drawn for: keeps uses of one seed apart.
enum class RandomUse : std::uint32_t { token = 0, choice_seed = 1, xtc = 2 };

/// The 32 random bits of one token at one position under one seed. Four neighbouring tokens share a
/// counter: (token / 4, position, use, 0), and take its word token % 4. Pre: token, position >= 0.
constexpr std::uint32_t token_bits(std::uint64_t seed, std::int32_t position, TokenId token) {
  const auto id = static_cast<std::uint32_t>(token);
  const auto words =
      philox4x32({id / 4, static_cast<std::uint32_t>(position),
                  static_cast<std::uint32_t>(RandomUse::token), 0},
                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return words[id % 4];
}

/// The 32 random bits of one use that a position under one seed has. Pre: position >= 0.
constexpr std::uint32_t position_bits(std::uint64_t seed, std::int32_t position, RandomUse use) {
  return philox4x32({0, static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(use), 0},
                    {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)})[0];
}

/// The seed of one of a request's choices. Choice 0 has the request's own, so that it is the same
/// whatever n is. Pre: choice >= 0.
constexpr std::uint64_t choice_seed(std::uint64_t seed, std::int32_t choice) {
  if (choice == 0) return seed;
  const auto words =
      philox4x32({static_cast<std::uint32_t>(choice), 0,
                  static_cast<std::uint32_t>(RandomUse::choice_seed), 0},
                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return words[0] | static_cast<std::uint64_t>(words[1]) << 32;
}

}  // namespace troupe
