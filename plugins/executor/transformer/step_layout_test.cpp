#include "plugins/executor/transformer/step_layout.h"

#include "plugins/executor/transformer/test_executor.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace troupe::transformer::testing {
namespace {

LayoutSizes sizes(int threads) {
  return {64, 2, 3, threads, 80, 80 * 1000};
}

std::vector<BlockId> some_blocks() {
  return blocks_from(0, 100);
}

TEST(StepLayout, NumbersTheRowsInTheOrderOfTheSegments) {
  StepPlan plan;
  add_segment(plan, 1, 10, {5, 6}, some_blocks(), RowsWanted::all);
  add_segment(plan, 2, 0, {7, 8, 9}, some_blocks(), RowsWanted::last);
  StepLayout layout(sizes(1));
  layout.build(plan);
  ASSERT_EQ(layout.rows().size(), 5u);
  EXPECT_EQ(layout.rows()[1].token, 6);
  EXPECT_EQ(layout.rows()[1].position, 11);
  EXPECT_EQ(layout.rows()[4].segment, 1u);
  EXPECT_EQ(layout.logits_rows(), (std::vector<std::uint32_t>{0, 1, 4}));
}

TEST(StepLayout, EveryRowAndHeadIsInOneUnitAndEveryUnitInTheItems) {
  StepPlan plan;
  add_segment(plan, 1, 600, std::vector<TokenId>(23, 1), some_blocks(), RowsWanted::none);
  add_segment(plan, 2, 255, {7, 8}, some_blocks(), RowsWanted::last);
  for (const int threads : {1, 2, 16}) {
    StepLayout layout(sizes(threads));
    layout.build(plan);
    std::multiset<std::pair<std::uint32_t, std::int32_t>> seen;
    for (const auto& unit : layout.units())
      for (std::int32_t i = 0; i < unit.num_rows; ++i)
        seen.insert({unit.first_row + static_cast<std::uint32_t>(i), unit.kv_head});
    EXPECT_EQ(seen.size(), 25u * 2);
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 25u * 2);
    std::map<std::uint32_t, int> chunks;
    for (const auto& item : layout.items())
      ++chunks[item.unit];
    for (std::uint32_t i = 0; i < layout.units().size(); ++i)
      EXPECT_EQ(chunks[i],
                layout.units()[i].partials_offset < 0 ? 1 : layout.units()[i].num_chunks);
  }
}

TEST(StepLayout, SharesChunksOnlyWhenUnitsAreFewAndContextsLong) {
  StepPlan one, short_one;
  add_segment(one, 1, 900, {1}, some_blocks(), RowsWanted::last);
  add_segment(short_one, 1, 200, {1}, some_blocks(), RowsWanted::last);
  StepLayout single(sizes(1)), pair(sizes(2));
  single.build(one);
  EXPECT_FALSE(single.shares_chunks());
  pair.build(short_one);
  EXPECT_FALSE(pair.shares_chunks());
  pair.build(one);
  EXPECT_TRUE(pair.shares_chunks());
  EXPECT_EQ(pair.items().size(), 2u * 4);
}

TEST(StepLayout, PartialsNeverOverlapNorPassTheirMemory) {
  auto small = sizes(16);
  small.partials_capacity = 80 * 3 * 4;  // one unit of one row with four chunks
  StepPlan plan;
  add_segment(plan, 1, 900, {1}, some_blocks(), RowsWanted::last);
  StepLayout layout(small);
  layout.build(plan);
  int shared = 0;
  for (const auto& unit : layout.units())
    shared += unit.partials_offset == 0 ? 1 : 0;
  EXPECT_EQ(shared, 1);
  EXPECT_EQ(layout.items().size(), 4u + 1);
}

TEST(StepLayout, ASlidingWindowLeavesOutTheChunksBeforeIt) {
  auto sliding = sizes(4);
  sliding.sliding_window = 300;
  StepPlan plan;
  add_segment(plan, 1, 900, {1}, some_blocks(), RowsWanted::last);
  StepLayout layout(sliding);
  layout.build(plan);
  for (const auto& unit : layout.units()) {  // positions 601 to 900 lie in chunks 2 and 3
    EXPECT_EQ(unit.first_chunk, 2);
    EXPECT_EQ(unit.num_chunks, 2);
  }
  std::multiset<std::int32_t> chunks;
  for (const auto& item : layout.items())
    chunks.insert(item.chunk);
  EXPECT_EQ(chunks, (std::multiset<std::int32_t>{2, 2, 3, 3}));
}

TEST(StepLayout, HasNoRowsOfSequencesThatWereLost) {
  StepPlan plan;
  add_segment(plan, 1, 10, {5, 6}, some_blocks(), RowsWanted::all);
  add_segment(plan, 2, 0, {7, 8, 9}, some_blocks(), RowsWanted::last);
  StepLayout layout(sizes(1));
  const std::vector<SequenceId> lost{{1}};
  layout.build(plan, lost);
  ASSERT_EQ(layout.rows().size(), 3u);
  EXPECT_EQ(layout.rows()[0].token, 7);
  EXPECT_EQ(layout.rows()[0].segment, 1u);
  EXPECT_EQ(layout.logits_rows(), (std::vector<std::uint32_t>{0, 0, 2}));
}

}  // namespace
}  // namespace troupe::transformer::testing
