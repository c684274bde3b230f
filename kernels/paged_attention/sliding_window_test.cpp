#include "test_sequence.h"

namespace troupe::kernels {
namespace {

class SlidingWindow : public PagedAttentionShapes {};

TEST_P(SlidingWindow, IsCloseToTheReferenceAndTheSameBitsHoweverCut) {
  for (const int window : {1, 2, 15, 16, 17, 40, 255, 256, 300}) {
    auto first = sequence(9);
    first.slide(window);
    first.store(CpuLevel::portable, length());
    const auto expected = first.attend(CpuLevel::portable, length());
    EXPECT_LT(largest_difference(expected, first.reference()), 2e-6f) << window;
    for (const auto level : levels()) {
      auto other = sequence(9);
      other.slide(window);
      other.store(level, length());
      for (const int step : {1, 7, 64, length()})
        ASSERT_EQ(other.attend(level, step), expected)
            << to_string(level) << ", window " << window << ", calls of " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SlidingWindow, all_shapes(), shape_name);

TEST(SlidingWindowBlocks, BeforeTheWindowAreNeverLookedAt) {
  // The table has no block there: block UINT32_MAX of the pool is no memory of this process.
  constexpr int kLength = 560, kFirst = 530, kWindow = 40;
  for (const auto precision : {KvPrecision::f32, KvPrecision::bf16, KvPrecision::int8}) {
    const KvBlockLayout layout{2, 64, precision};
    for (const auto level : levels()) {
      Sequence sequence(layout, 3, kLength, 10);
      sequence.slide(kWindow);
      sequence.store(level, kLength);
      const auto expected = sequence.attend(level, kLength);
      sequence.slide(kWindow, kFirst);
      std::vector<float> output;
      sequence.each_head(sequence.rows(kFirst, kLength - kFirst, output),
                         paged_attention_for(level, precision).attend);
      const auto split = attend_by_chunks(sequence, level, layout, kFirst, kLength);
      for (std::size_t i = kFirst * 6 * 64; i < expected.size(); ++i) {
        ASSERT_EQ(output[i], expected[i]);
        ASSERT_EQ(split[i], expected[i]);
      }
    }
  }
}

TEST(SlidingWindowBlocks, AWindowOfTwoWeighsTwoTokensAsComputedByHand) {
  // Scores 5, 0 and ln 3; the first token is out of sight, the others weigh 1/4 and 3/4.
  Sequence sequence({1, 1, KvPrecision::f32}, 1, 3, 0);
  sequence.queries_ = {1, 1, 1};
  sequence.keys_ = {5, 0, std::log(3.0f)};
  sequence.values_ = {100, 8, 4};
  sequence.slide(2);
  for (const auto level : levels()) {
    sequence.store(level, 3);
    EXPECT_FLOAT_EQ(sequence.attend(level, 3)[2], 5);
    EXPECT_FLOAT_EQ(sequence.reference()[2], 5);
  }
}

}  // namespace
}  // namespace troupe::kernels
