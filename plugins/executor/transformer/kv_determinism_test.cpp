#include "plugins/executor/transformer/test_executor.h"
#include "plugins/executor/transformer/test_prompts.h"
#include "plugins/executor/transformer/tiny_model_file.h"
#include "troupe/core/block_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

// What becomes of the keys and values of a sequence between its steps changes no bit of its logits,
// in any precision of theirs and with any sliding window.
namespace troupe::transformer::testing {
namespace {

constexpr int kLength = 273;  // past one attention chunk of 256, no multiple of anything
constexpr std::uint32_t kFileSlots = 200;

class KvDeterminism : public ::testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  KvDeterminism() : file_(options()) {}

  static model::TinyModelOptions options() {
    auto options = model::tiny_model_for(model::WeightType::q4_1);
    options.num_kv_heads = 1;
    options.sliding_window = std::get<1>(GetParam());
    return options;
  }

  std::unique_ptr<TransformerExecutor> executor(int threads = 1) const {
    const Value::Object table{{"kv_precision", std::get<0>(GetParam())}};
    const auto plain = start_executor(file_.path(), {{"kv_blocks", 1}}, table).value();
    const auto block_bytes = plain->info().kv_bytes_per_token * kBlockSize;
    auto executor = start_executor(file_.path(),
                                   {{"threads", threads},
                                    {"kv_blocks", 200},
                                    {"swap_bytes", 20 * block_bytes},
                                    {"swap_file_bytes", kFileSlots * block_bytes}},
                                   table);
    EXPECT_TRUE(executor) << executor.error().message();
    return std::move(*executor);
  }

  Logits whole() const { return run(*executor(), ids_, kLength, blocks_from(0, 18)); }

  /// Tokens `from` .. `to` - 1 of the prompt, at the end of `plan`.
  void add_tokens(StepPlan& plan, int from, int to, const std::vector<BlockId>& table) const {
    add_segment(plan, 1, from, {ids_.begin() + from, ids_.begin() + to}, table, RowsWanted::all);
  }

  static void submit_and_append(Executor& executor, const StepPlan& plan, Logits& logits) {
    const auto result = submit(executor, plan);
    ASSERT_FALSE(result.error) << result.error->message();
    ASSERT_TRUE(result.lost.empty()) << result.lost_reason;
    append_rows(result, 0, plan.num_rows, logits);
  }

  TinyModelFile file_;
  const std::vector<TokenId> ids_ = prompt(kLength, 1);
};

TEST_P(KvDeterminism, ChunksThreadsAndBlocksChangeNoBit) {
  const auto expected = whole();
  ASSERT_EQ(expected.size(), ids_.size());
  auto shuffled = blocks_from(100, 18);
  std::ranges::reverse(shuffled);
  for (const int threads : {1, 2, 3}) {
    const auto executor = this->executor(threads);
    for (const int chunk : {1, 7, 64, kLength})
      ASSERT_TRUE(run(*executor, ids_, chunk, shuffled) == expected)
          << threads << " threads, chunks of " << chunk;
  }
}

TEST_P(KvDeterminism, SwappedOutAndInSomewhereElseChangesNoBit) {
  const auto expected = whole();
  const auto executor = this->executor(2);
  for (const std::uint32_t first_slot : {0u, 20u}) {  // in memory, and in the file
    Logits logits;
    StepPlan before, away, back;
    const auto table = blocks_from(0, 18), other_table = blocks_from(50, 18);
    add_tokens(before, 0, 201, table);
    submit_and_append(*executor, before, logits);
    for (std::uint32_t i = 0; i < 13; ++i) {
      away.swap_outs.push_back({{1}, table[i], first_slot + 12 - i});
      back.swap_ins.push_back({{1}, other_table[i], first_slot + 12 - i});
    }
    submit_and_append(*executor, away, logits);
    // Meanwhile the blocks have other content.
    StepPlan other;
    add_segment(other, 2, 0, prompt(200, 9), table, RowsWanted::none);
    ASSERT_FALSE(submit(*executor, other).error);
    add_tokens(back, 201, kLength, other_table);
    submit_and_append(*executor, back, logits);
    ASSERT_TRUE(logits == expected) << "slots from " << first_slot;
  }
}

TEST_P(KvDeterminism, CopiedBlocksChangeNoBit) {
  const auto expected = whole();
  const auto executor = this->executor();
  Logits logits;
  StepPlan before, fork;
  const auto table = blocks_from(0, 18), other_table = blocks_from(50, 18);
  add_tokens(before, 0, 201, table);
  submit_and_append(*executor, before, logits);
  for (std::uint32_t i = 0; i < 13; ++i)
    fork.copies.push_back({table[i], other_table[i]});
  add_tokens(fork, 201, kLength, other_table);
  // The first sequence goes on in another direction in the same step.
  add_segment(fork, 2, 201, prompt(30, 5), table, RowsWanted::none);
  submit_and_append(*executor, fork, logits);
  ASSERT_TRUE(logits == expected);
}

TEST_P(KvDeterminism, BlocksThatTheWindowLeavesServeAgainAndChangeNoBit) {
  const int window = std::get<1>(GetParam());
  const auto expected = whole();
  for (const int chunk : {1, 7, 64}) {
    const auto executor = this->executor(2);
    Logits logits;
    // Without a window all blocks stay.
    const auto most = window ? blocks_for(window + chunk) + 1 : blocks_for(kLength);
    std::vector<BlockId> table, free = blocks_from(0, most);
    for (int from = 0; from < kLength; from += chunk) {
      const int to = std::min(from + chunk, kLength);
      for (int i = 0; i < block_index(kernels::first_seen(from, window)); ++i)
        if (auto& block = table[static_cast<std::size_t>(i)]; block != kNoBlock)
          free.push_back(std::exchange(block, kNoBlock));
      while (static_cast<std::int64_t>(table.size()) < blocks_for(to)) {
        ASSERT_FALSE(free.empty());
        table.push_back(free.front());
        free.erase(free.begin());
      }
      StepPlan plan;
      add_tokens(plan, from, to, table);
      submit_and_append(*executor, plan, logits);
    }
    ASSERT_TRUE(logits == expected) << "chunks of " << chunk;
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, KvDeterminism,
                         ::testing::Combine(::testing::Values("f32", "bf16", "int8"),
                                            ::testing::Values(0, 37, 260)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_window" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace troupe::transformer::testing
