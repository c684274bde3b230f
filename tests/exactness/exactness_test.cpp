// The product's promise as a matrix: whatever the prefix cache, the chunks of a prompt, the
// company, a preemption or the number of threads, a request's tokens and logits are the same bits,
// in every precision of keys and values.
#include "logits_ledger.h"
#include "probe.h"
#include "troupe/model/tiny_model.h"
#include "troupe/pipeline/load_pipeline.h"
#include "troupe/plugin/registry.h"
#include "troupe/testing/test_data.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace troupe::exactness {
namespace {
namespace fs = std::filesystem;

class TinyFile {
 public:
  explicit TinyFile(std::int64_t sliding_window)
      : path_(fs::temp_directory_path() /
              ("troupe-exactness-" + std::to_string(::getpid()) + ".gguf")) {
    model::TinyModelOptions options;
    options.weight_type = model::WeightType::q4_1;
    options.padded_rows = 16;
    options.sliding_window = sliding_window;
    EXPECT_TRUE(model::write_tiny_model(path_, options));
  }
  ~TinyFile() { fs::remove(path_); }
  TinyFile(const TinyFile&) = delete;
  TinyFile& operator=(const TinyFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Of a model that takes its time.
constexpr Workload kLess{.prompt_words = 24, .num_probes = 2, .other_tokens = 6};

class Matrix : public ::testing::TestWithParam<const char*> {  // the precision of keys and values
 protected:
  std::unique_ptr<Engine> open(const Catalog& catalog, const Cell& cell, const fs::path& model) {
    pipeline::Overrides overrides;
    overrides.model = model.string();
    overrides.set = cell.settings();
    overrides.set.push_back(std::string("model.default.kv_precision=") + GetParam());
    const auto spec = pipeline::load_pipeline(
        std::string(TROUPE_SOURCE_DIR "/pipelines/completion.toml"), overrides, catalog);
    EXPECT_TRUE(spec) << spec.error().message();
    if (!spec) return nullptr;
    auto engine = Engine::open(*spec, catalog);
    EXPECT_TRUE(engine) << engine.error().message();
    return engine ? std::move(*engine) : nullptr;
  }

  Outcome run(const Catalog& catalog, LogitsLedger& ledger, const Cell& cell, const fs::path& model,
              const Workload& workload) {
    const auto engine = open(catalog, cell, model);
    if (!engine) return {};
    auto outcome = run_cell(*engine, ledger, cell, workload);
    EXPECT_TRUE(outcome) << cell.name() << ": " << outcome.error().message();
    return outcome ? std::move(*outcome) : Outcome{};
  }

  /// That a cell was what its name says.
  static void expect_cell_happened(const Cell& cell, const Outcome& outcome) {
    if (cell.cache == Cache::warm) {
      EXPECT_GT(outcome.cached_tokens, 0);
    }
    if (cell.cache == Cache::off) {
      EXPECT_EQ(outcome.cached_tokens, 0);
    }
    const auto all = outcome.answers.size();
    EXPECT_EQ(outcome.preempted, cell.preemption == Preemption::never ? 0 : all);
    EXPECT_EQ(outcome.swapped, cell.swaps() ? all : 0);
  }

  void compare(const std::vector<Cell>& cells, const fs::path& model, const Workload& workload) {
    const Registry registry({.folders = {TROUPE_BINARY_DIR "/lib/troupe/plugins"}});
    LogitsLedger ledger;
    const RecordingCatalog catalog(registry, ledger);
    const auto expected = run(catalog, ledger, Cell{}, model, workload).answers;
    ASSERT_FALSE(expected.empty());
    std::size_t tokens = 0;
    for (const auto& cell : cells) {
      SCOPED_TRACE(cell.name());
      const auto outcome = run(catalog, ledger, cell, model, workload);
      ASSERT_EQ(outcome.answers.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(outcome.answers[i], expected[i]) << "probe " << i;
        tokens += outcome.answers[i].token_ids.size();
      }
      EXPECT_EQ(ledger.differing(), 0) << "rows of logits";
      expect_cell_happened(cell, outcome);
      if (HasFailure()) return;
    }
    EXPECT_GT(ledger.compared(), 0);
    std::printf("%zu cells, %zu answers and %zu tokens equal; %lld rows of logits equal\n",
                cells.size(), cells.size() * expected.size(), tokens,
                static_cast<long long>(ledger.compared()));
  }
};

TEST_P(Matrix, OfTheTinyModelIsExactInEveryCell) {
  compare(all_cells(), TinyFile(0).path(), {});
}

/// The window is shorter than the prompts.
TEST_P(Matrix, OfAModelWithASlidingWindowIsExactForEveryPairOfValues) {
  compare(pairwise_cells(), TinyFile(40).path(), {});
}

TEST_P(Matrix, OfTheDefaultModelIsExactForEveryPairOfValues) {
  const auto model = testing::default_model_file();
  if (!model) GTEST_SKIP() << testing::kNoDefaultModel;
  compare(pairwise_cells(), *model, kLess);
}

TEST_P(Matrix, OfTheDefaultModelIsExactInEveryCell) {
  if (std::getenv("TROUPE_WHOLE_MATRIX") == nullptr)
    GTEST_SKIP() << "takes a quarter of an hour for each precision: TROUPE_WHOLE_MATRIX=1 runs it; "
                    "every pair of values is tested without";
  const auto model = testing::default_model_file();
  if (!model) GTEST_SKIP() << testing::kNoDefaultModel;
  compare(all_cells(), *model, {.prompt_words = 24, .num_probes = 1, .other_tokens = 4});
}

INSTANTIATE_TEST_SUITE_P(KeysAndValues, Matrix, ::testing::Values("f32", "bf16", "int8"),
                         [](const auto& param) { return std::string(param.param); });

TEST(Cells, CoverWhatTheyClaim) {
  EXPECT_EQ(all_cells().size(), 480u);
  EXPECT_LT(pairwise_cells().size(), 30u);
  EXPECT_EQ(Cell{}.name(), "cache off, chunk all, alone, never preempted, 1 thread");
}

}  // namespace
}  // namespace troupe::exactness
