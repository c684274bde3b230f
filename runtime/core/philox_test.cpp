#include "troupe/core/philox.h"

#include <gtest/gtest.h>

#include <set>

namespace troupe {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The three vectors that the authors publish with their library (kat_vectors, philox4x32 10).
TEST(Philox, EqualsThePublishedVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, GivesFourNeighbouringTokensTheWordsOfOneCounter) {
  const auto words = philox4x32({3, 17, 0, 0}, {0x89abcdef, 0x01234567});
  for (TokenId token = 12; token < 16; ++token)
    EXPECT_EQ(token_bits(0x0123456789abcdef, 17, token),
              words[static_cast<std::size_t>(token - 12)]);
}

TEST(Philox, IsAConstantExpression) {
  static_assert(philox4x32({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5);
  static_assert(choice_seed(5, 0) == 5);
}

TEST(Philox, EverySeedPositionAndTokenHasBitsOfItsOwn) {
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32})
    for (std::int32_t position = 0; position < 8; ++position)
      for (TokenId token = 0; token < 16; ++token)
        seen.insert(token_bits(seed, position, token));
  EXPECT_EQ(seen.size(), 3u * 8u * 16u);
}

TEST(Philox, ChoicesOfOneRequestHaveDifferentSeeds) {
  std::set<std::uint64_t> seeds;
  for (std::int32_t choice = 0; choice < 64; ++choice) {
    seeds.insert(choice_seed(7, choice));
    seeds.insert(choice_seed(8, choice));
  }
  EXPECT_EQ(seeds.size(), 128u);
}

}  // namespace
}  // namespace troupe
