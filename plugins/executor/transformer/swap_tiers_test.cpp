#include "plugins/executor/transformer/swap_tiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

namespace troupe::transformer {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kHostSlot = 1, kFileSlot = 4;  // of 3 host slots and 2 file slots

/// A pool of 4 blocks of random content, with 3 host slots and 2 file slots below it.
class SwapTiersTest : public ::testing::Test {
 protected:
  explicit SwapTiersTest(FileCalls calls = FileCalls::of_the_system()) {
    model::ModelSpec spec;
    spec.num_layers = 3;
    spec.num_kv_heads = 2;
    spec.head_dim = 16;
    pool_ = KvPool::allocate({.kv_blocks = 4}, kernels::KvPrecision::bf16, spec, 100).value();
    std::mt19937 random(1);
    for (int layer = 0; layer < 3; ++layer)
      for (std::int64_t i = 0; i < 4 * pool_.layout().block_bytes(); ++i)
        pool_.layer(layer)[i] = static_cast<std::byte>(random());
    Options options;
    options.swap_bytes = 4 * pool_.block_bytes() - 1;
    options.swap_file_bytes = 2 * pool_.block_bytes();
    options.swap_dir = std::filesystem::temp_directory_path().string();
    tiers_ = SwapTiers::create(options, pool_, 100, std::move(calls)).value();
  }

  std::vector<std::byte> content(std::uint32_t block) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(pool_.block_bytes()));
    pool_.read_block({block}, bytes.data());
    return bytes;
  }

  KvPool pool_;
  SwapTiers tiers_;
};

TEST_F(SwapTiersTest, HaveAsManySlotsAsTheirBudgetsPayFor) {
  EXPECT_EQ(tiers_.num_host_slots(), 3);
  EXPECT_EQ(tiers_.num_file_slots(), 2);
  const auto none = SwapTiers::create({}, pool_, 100).value();
  EXPECT_EQ(none.num_host_slots() + none.num_file_slots(), 0);
}

TEST_F(SwapTiersTest, HoldNoMoreInMemoryThanSixtyFourFullSequences) {
  Options options;
  options.swap_bytes = std::int64_t{1} << 40;
  EXPECT_EQ(SwapTiers::create(options, pool_, 33).value().num_host_slots(), 64 * 3);
}

TEST_F(SwapTiersTest, BringABlockBackBitForBitWhereverItStood) {
  for (const auto slot : {kHostSlot, kFileSlot}) {
    const auto stored = content(0), other = content(2);
    ASSERT_TRUE(tiers_.store({{1}, {0}, slot}, pool_));
    pool_.write_block({0}, other.data());
    ASSERT_TRUE(tiers_.load({{1}, {3}, slot}, pool_));
    EXPECT_EQ(content(3), stored);
    EXPECT_EQ(content(2), other);
    ASSERT_TRUE(tiers_.load({{1}, {1}, slot}, pool_)) << "the slot keeps its content";
    EXPECT_EQ(content(1), stored);
  }
}

TEST_F(SwapTiersTest, NoticeEveryDamagedByteAndLeaveTheBlockAlone) {
  for (const auto slot : {kHostSlot, kFileSlot}) {
    ASSERT_TRUE(tiers_.store({{1}, {0}, slot}, pool_));
    const auto before = content(3);
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{777}, pool_.block_bytes() - 1}) {
      std::byte byte{};
      if (slot == kHostSlot) {
        tiers_.host_slot(slot)[static_cast<std::size_t>(at)] ^= std::byte{4};
      } else {
        ASSERT_EQ(pread(tiers_.file().descriptor(), &byte, 1, pool_.block_bytes() + at), 1);
        byte ^= std::byte{4};
        ASSERT_EQ(pwrite(tiers_.file().descriptor(), &byte, 1, pool_.block_bytes() + at), 1);
      }
      const auto loaded = tiers_.load({{1}, {3}, slot}, pool_);
      ASSERT_FALSE(loaded);
      EXPECT_THAT(loaded.error().message(), HasSubstr("damaged"));
      EXPECT_EQ(content(3), before);
      ASSERT_TRUE(tiers_.store({{1}, {0}, slot}, pool_));
    }
  }
}

TEST_F(SwapTiersTest, NoticeContentThatStandsInAnotherSlotsPlace) {
  ASSERT_TRUE(tiers_.store({{1}, {0}, 0}, pool_));
  ASSERT_TRUE(tiers_.store({{1}, {0}, 1}, pool_));
  ASSERT_TRUE(tiers_.store({{2}, {1}, 2}, pool_));
  std::ranges::copy(tiers_.host_slot(2), tiers_.host_slot(0).begin());
  EXPECT_FALSE(tiers_.load({{1}, {3}, 0}, pool_));
  EXPECT_TRUE(tiers_.load({{1}, {3}, 1}, pool_));
}

TEST_F(SwapTiersTest, AFileCutShortLosesWhatStoodThere) {
  ASSERT_TRUE(tiers_.store({{1}, {0}, 3}, pool_));
  ASSERT_TRUE(tiers_.store({{1}, {1}, 4}, pool_));
  ASSERT_EQ(ftruncate(tiers_.file().descriptor(), pool_.block_bytes() + 9), 0);
  EXPECT_TRUE(tiers_.load({{1}, {2}, 3}, pool_));
  EXPECT_FALSE(tiers_.load({{1}, {2}, 4}, pool_));
}

/// The disk is full while `full` is set.
class FullDisk : public SwapTiersTest {
 protected:
  FullDisk()
      : SwapTiersTest({[this](int file, const void* data, std::size_t size, off_t at) -> ssize_t {
                         if (full_) return errno = ENOSPC, -1;
                         return pwrite(file, data, size, at);
                       },
                       FileCalls::of_the_system().read}) {}
  bool full_ = false;
};

TEST_F(FullDisk, ASlotThatCouldNotBeWrittenHasNoContentNotEvenItsOld) {
  ASSERT_TRUE(tiers_.store({{1}, {0}, kFileSlot}, pool_));
  full_ = true;
  const auto stored = tiers_.store({{2}, {1}, kFileSlot}, pool_);
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code(), ErrorCode::resource_exhausted);
  EXPECT_EQ(tiers_.slots().state(kFileSlot), SlotState::failed);
  EXPECT_FALSE(tiers_.load({{2}, {3}, kFileSlot}, pool_));
  EXPECT_TRUE(tiers_.store({{2}, {1}, kHostSlot}, pool_)) << "memory has room as before";
  full_ = false;
  EXPECT_TRUE(tiers_.store({{2}, {1}, kFileSlot}, pool_));
  EXPECT_TRUE(tiers_.load({{2}, {3}, kFileSlot}, pool_));
}

TEST(SwapTiers, AFolderThatIsNotThereIsRefusedOnlyWhenAFileIsWanted) {
  model::ModelSpec spec;
  spec.num_layers = spec.num_kv_heads = 1;
  spec.head_dim = 16;
  const auto pool = KvPool::allocate({.kv_blocks = 1}, kernels::KvPrecision::f32, spec, 16).value();
  Options options;
  options.swap_dir = "/no/such/folder";
  EXPECT_TRUE(SwapTiers::create(options, pool, 16));
  options.swap_file_bytes = 1 << 20;
  const auto tiers = SwapTiers::create(options, pool, 16);
  ASSERT_FALSE(tiers);
  EXPECT_THAT(tiers.error().message(), HasSubstr("/no/such/folder"));
}

}  // namespace
}  // namespace troupe::transformer
