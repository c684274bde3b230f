#include "plugins/executor/transformer/kv_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace troupe::transformer {
namespace {

model::ModelSpec sizes() {
  model::ModelSpec spec;
  spec.num_layers = 3;
  spec.num_kv_heads = 2;
  spec.head_dim = 16;
  return spec;
}

constexpr std::int64_t kBlockBytes =
    3 * 2 * 2 * 16 * 16 * 2;  // layers, k and v, heads, head_dim, tokens, bf16

TEST(KvPool, HoldsAsManyBlocksAsTheBudgetPaysFor) {
  const auto pool = KvPool::allocate({.kv_bytes = 7 * kBlockBytes + 1}, kernels::KvPrecision::bf16,
                                     sizes(), 1000);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->num_blocks(), 7);
  EXPECT_EQ(pool->bytes_per_token(), kBlockBytes / 16);
}

TEST(KvPool, HoldsNoMoreThanSixtyFourFullSequences) {
  const auto pool =
      KvPool::allocate({.kv_bytes = 1 << 30}, kernels::KvPrecision::bf16, sizes(), 33);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->num_blocks(), 64 * 3);
}

TEST(KvPool, TakesANumberOfBlocksAsGiven) {
  const auto pool =
      KvPool::allocate({.kv_blocks = 1000, .kv_bytes = 1}, kernels::KvPrecision::f32, sizes(), 16);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->num_blocks(), 1000);
}

TEST(KvPool, RefusesABudgetBelowOneBlockAndOneBeyondTheMachine) {
  for (const Options& options :
       {Options{.kv_bytes = kBlockBytes - 1}, Options{.kv_blocks = std::int64_t{1} << 60}}) {
    const auto pool = KvPool::allocate(options, kernels::KvPrecision::bf16, sizes(), 100);
    ASSERT_FALSE(pool);
    EXPECT_EQ(pool.error().code(), ErrorCode::resource_exhausted);
  }
}

TEST(KvPool, CopiesABlockInEveryLayerAndNoOther) {
  auto pool = KvPool::allocate({.kv_blocks = 4}, kernels::KvPrecision::bf16, sizes(), 100).value();
  const auto bytes = pool.layout().block_bytes();
  for (int layer = 0; layer < 3; ++layer)
    for (std::int64_t i = 0; i < 4 * bytes; ++i)
      pool.layer(layer)[i] = static_cast<std::byte>(10 * layer + i / bytes);
  pool.copy({{1}, {3}});
  for (int layer = 0; layer < 3; ++layer)
    for (const auto& [block, from] : {std::pair{0, 0}, {1, 1}, {2, 2}, {3, 1}}) {
      EXPECT_EQ(pool.layer(layer)[block * bytes], static_cast<std::byte>(10 * layer + from));
      EXPECT_EQ(pool.layer(layer)[(block + 1) * bytes - 1],
                static_cast<std::byte>(10 * layer + from));
    }
}

TEST(KvPool, ReadsAndWritesABlockOfAllLayersBitForBit) {
  auto pool = KvPool::allocate({.kv_blocks = 3}, kernels::KvPrecision::int8, sizes(), 100).value();
  const auto bytes = pool.layout().block_bytes();
  EXPECT_EQ(pool.block_bytes(), 3 * bytes);
  for (int layer = 0; layer < 3; ++layer)
    for (std::int64_t i = 0; i < 3 * bytes; ++i)
      pool.layer(layer)[i] = static_cast<std::byte>(31 * layer + i % 101);
  std::vector<std::byte> content(static_cast<std::size_t>(pool.block_bytes()));
  pool.read_block({1}, content.data());
  pool.write_block({2}, content.data());
  for (int layer = 0; layer < 3; ++layer)
    for (std::int64_t i = 0; i < bytes; ++i)
      ASSERT_EQ(pool.layer(layer)[2 * bytes + i], pool.layer(layer)[bytes + i]);
}

}  // namespace
}  // namespace troupe::transformer
