#include "plugins/executor/transformer/test_executor.h"
#include "plugins/executor/transformer/test_prompts.h"
#include "plugins/executor/transformer/tiny_model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>

// The contract: for one model file, KV precision and precision of activations, a row of logits
// depends on the tokens of its sequence up to its position alone. Every comparison here is bit for
// bit.
namespace troupe::transformer::testing {
namespace {

class Determinism
    : public ::testing::TestWithParam<std::tuple<const char*, const char*, model::WeightType>> {
 protected:
  Determinism() : file_(options()) {}

  static model::TinyModelOptions options() {
    auto options = model::tiny_model_for(std::get<2>(GetParam()));
    options.num_kv_heads = 1;
    return options;
  }

  std::unique_ptr<TransformerExecutor> executor(int threads) const {
    auto executor = start_executor(
        file_.path(), {{"threads", threads}, {"max_batch_tokens", 1024}, {"kv_blocks", 400}},
        {{"activations", std::get<0>(GetParam())}, {"kv_precision", std::get<1>(GetParam())}});
    EXPECT_TRUE(executor) << executor.error().message();
    return std::move(*executor);
  }

  TinyModelFile file_;
};

constexpr int kLength = 273;  // past one attention chunk of 256, no multiple of anything

TEST_P(Determinism, ChunksOfAPrefillChangeNoBit) {
  const auto executor = this->executor(1);
  const auto ids = prompt(kLength, 1);
  const auto whole = run(*executor, ids, kLength, blocks_from(0, 18));
  ASSERT_EQ(whole.size(), ids.size());
  for (const int chunk : {1, 3, 7, 16, 100})
    ASSERT_TRUE(run(*executor, ids, chunk, blocks_from(0, 18)) == whole) << "chunks of " << chunk;
}

TEST_P(Determinism, ThreadsAndPhysicalBlocksChangeNoBit) {
  const auto ids = prompt(kLength, 2);
  const auto expected = run(*executor(1), ids, kLength, blocks_from(0, 18));
  std::vector<BlockId> shuffled = blocks_from(100, 18);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  for (const int threads : {2, 3}) {
    const auto executor = this->executor(threads);
    ASSERT_TRUE(run(*executor, ids, kLength, blocks_from(0, 18)) == expected)
        << threads << " threads";
    ASSERT_TRUE(run(*executor, ids, 64, shuffled) == expected) << "other blocks";
  }
}

TEST_P(Determinism, CompanyInTheBatchChangesNoBit) {
  const auto executor = this->executor(1);
  const auto ids = prompt(40, 4);
  const auto alone = run(*executor, ids, 40, blocks_from(0, 3));
  for (const int others : {1, 7, 32}) {
    const auto slot = others / 2;
    Logits logits;
    int from = 0;
    for (const int count : {5, 1, 17, 1, 16}) {
      StepPlan plan;
      std::uint32_t row = 0;
      for (int i = 0; i <= others; ++i) {
        const auto table = blocks_from(static_cast<std::uint32_t>(3 * i + 3), 3);
        if (i == slot) {
          row = plan.num_rows;
          add_segment(plan, 1000, from, {ids.begin() + from, ids.begin() + from + count}, table,
                      RowsWanted::all);
        } else {
          const auto seed = static_cast<unsigned>(100 * i + from);
          add_segment(plan, static_cast<std::uint64_t>(i), 0, prompt(1 + i % 9, seed), table,
                      RowsWanted::last);
        }
      }
      append_rows(submit(*executor, plan), row, static_cast<std::uint32_t>(count), logits);
      from += count;
    }
    ASSERT_TRUE(logits == alone) << others << " others";
  }
}

std::string combination_name(
    const ::testing::TestParamInfo<std::tuple<const char*, const char*, model::WeightType>>& info) {
  return std::string(std::get<0>(info.param)) + "_kv_" + std::get<1>(info.param) + "_" +
         std::string(to_string(std::get<2>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(Precisions, Determinism,
                         ::testing::Combine(::testing::Values("f32", "bf16", "int8", "int8x2"),
                                            ::testing::Values("f32", "bf16", "f16", "int8"),
                                            ::testing::Values(model::WeightType::q4_1)),
                         combination_name);
INSTANTIATE_TEST_SUITE_P(WeightTypes, Determinism,
                         ::testing::Combine(::testing::Values("int8x2"), ::testing::Values("bf16"),
                                            ::testing::Values(model::WeightType::f32,
                                                              model::WeightType::q8_0,
                                                              model::WeightType::q6_k)),
                         combination_name);

/// A number that stands for all bits of some logits.
std::uint64_t digest(const Logits& logits) {
  std::uint64_t hash = 14695981039346656037u;
  for (const auto& row : logits)
    for (const float value : row) {
      std::uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      hash = (hash ^ bits) * 1099511628211u;
    }
  return hash;
}

void print_digests() {
  const TinyModelFile file(model::tiny_model_for(model::WeightType::q4_1));
  for (const char* activations : {"f32", "bf16", "int8", "int8x2"})
    for (const char* kv : {"f32", "bf16", "f16", "int8"}) {
      const auto executor =
          start_executor(file.path(), {}, {{"activations", activations}, {"kv_precision", kv}})
              .value();
      const auto logits = run(*executor, prompt(50, 6), 50, blocks_from(0, 4));
      std::printf("digest %s %s %016llx\n", activations, kv,
                  static_cast<unsigned long long>(digest(logits)));
    }
}

/// What print_digests says in a process of its own, since TROUPE_CPU is read once.
std::string digests_under(const std::string& level) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto command = "PRINT_DIGESTS=1 TROUPE_CPU=" + level + " '" + program +
                       "' --gtest_filter='InstructionSets.*' | grep ^digest";
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char line[256];
  while (pipe && std::fgets(line, sizeof line, pipe))
    text += line;
  if (pipe) pclose(pipe);
  return text;
}

TEST(InstructionSets, AllGiveTheSameBits) {
  if (std::getenv("PRINT_DIGESTS")) return print_digests();
  const auto expected = digests_under("portable");
  ASSERT_EQ(std::count(expected.begin(), expected.end(), '\n'), 16);
  for (const char* level : {"avx2", "avx512", "avx512_vnni"})
    EXPECT_EQ(digests_under(level), expected) << level;
}

}  // namespace
}  // namespace troupe::transformer::testing
