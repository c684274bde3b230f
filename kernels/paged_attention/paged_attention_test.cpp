#include "test_sequence.h"

namespace troupe::kernels {
namespace {

TEST_P(PagedAttentionShapes, EveryVariantIsCloseToTheReference) {
  for (const auto level : levels()) {
    auto sequence = this->sequence(1);
    sequence.store(level, length());
    EXPECT_LT(largest_difference(sequence.attend(level, length()), sequence.reference()), 2e-6f)
        << to_string(level);
  }
}

TEST_P(PagedAttentionShapes, EveryVariantStoresAndComputesTheSameBits) {
  auto first = sequence(2);
  first.store(CpuLevel::portable, length());
  const auto output = first.attend(CpuLevel::portable, length());
  for (const auto level : levels()) {
    auto other = sequence(2);
    other.store(level, length());
    EXPECT_EQ(other.pool_, first.pool_) << to_string(level);
    EXPECT_EQ(other.attend(level, length()), output) << to_string(level);
  }
}

TEST_P(PagedAttentionShapes, GivesTheSameBitsForEveryCutIntoCalls) {
  for (const auto level : levels()) {
    auto sequence = this->sequence(3);
    sequence.store(level, length());
    const auto whole = sequence.attend(level, length());
    for (const int step : {1, 3, 7, 16})
      EXPECT_EQ(sequence.attend(level, step), whole) << step;
  }
}

TEST_P(PagedAttentionShapes, SplittingTheContextOverThreadsChangesNoBit) {
  const auto& [precision, shape] = GetParam();
  const KvBlockLayout layout{std::get<0>(shape), std::get<2>(shape), precision};
  for (const auto level : levels())
    for (const int window : {0, 20, 270}) {
      auto sequence = this->sequence(4);
      sequence.slide(window);
      sequence.store(level, length());
      EXPECT_EQ(attend_by_chunks(sequence, level, layout, 0, length()),
                sequence.attend(level, length()))
          << window;
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PagedAttentionShapes, all_shapes(), shape_name);

TEST(PagedAttention, WeighsTwoTokensAsComputedByHand) {
  // Scores 0 and ln 3 give the weights 1/4 and 3/4.
  Sequence sequence({1, 1, KvPrecision::f32}, 1, 2, 0);
  sequence.queries_ = {1, 1};
  sequence.keys_ = {0, std::log(3.0f)};
  sequence.values_ = {8, 4};
  for (const auto level : levels()) {
    sequence.store(level, 2);
    const auto output = sequence.attend(level, 2);
    EXPECT_FLOAT_EQ(output[0], 8);
    EXPECT_FLOAT_EQ(output[1], 5);
  }
}

TEST(PagedAttention, NeverLooksAtSlotsPastThePosition) {
  // Slots that were not written hold NaN (Sequence::store), also those of a block in use.
  for (const auto level : levels()) {
    Sequence sequence({2, 64, KvPrecision::bf16}, 3, 40, 5);
    sequence.store(level, 21);
    std::vector<float> output;
    sequence.each_head(sequence.rows(17, 4, output),
                       paged_attention_for(level, KvPrecision::bf16).attend);
    const std::int64_t width = 6 * 64;
    for (std::int64_t i = 17 * width; i < 21 * width; ++i)
      ASSERT_TRUE(std::isfinite(output[static_cast<std::size_t>(i)]));
  }
}

TEST(PagedAttention, ScoresPastTheRangeOfFloat16StayFinite) {
  for (const auto precision : {KvPrecision::f32, KvPrecision::bf16, KvPrecision::f16})
    for (const auto level : levels()) {
      Sequence sequence({1, 128, precision}, 1, 3, 6);
      std::fill(sequence.queries_.begin(), sequence.queries_.end(), 30.0f);
      std::fill(sequence.keys_.begin(), sequence.keys_.end(), 30.0f);
      sequence.store(level, 3);
      EXPECT_LT(largest_difference(sequence.attend(level, 3), sequence.reference()), 1e-5f);
    }
}

TEST(PagedAttention, ANanReachesEveryQueryThatSeesItAndNoOther) {
  for (const auto level : levels()) {
    for (const auto precision : {KvPrecision::bf16, KvPrecision::int8})
      for (auto damaged : {&Sequence::keys_, &Sequence::values_}) {
        Sequence sequence({1, 32, precision}, 1, 20, 7);
        sequence.slide(6);
        (sequence.*damaged)[10 * 32] = std::numeric_limits<float>::quiet_NaN();
        sequence.store(level, 20);
        const auto output = sequence.attend(level, 20);
        for (std::size_t position = 0; position < 20; ++position)
          EXPECT_EQ(std::isfinite(output[position * 32]), position < 10 || position >= 16)
              << position;
      }
  }
}

}  // namespace
}  // namespace troupe::kernels
