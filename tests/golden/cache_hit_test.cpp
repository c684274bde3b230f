// A prompt whose beginning comes from the prefix cache, or back from a lower tier, has the logits
// that it has when everything is computed (D34, D37).
#include "golden_model.h"
#include "troupe/api/blocks.h"
#include "troupe/api/executor.h"
#include "troupe/model/tiny_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <unistd.h>

namespace troupe::golden {
namespace {

std::vector<TokenId> text(std::size_t num_tokens, TokenId seed) {
  std::vector<TokenId> ids;
  for (std::size_t i = 0; i < num_tokens; ++i)
    ids.push_back(static_cast<TokenId>((seed + static_cast<TokenId>(i * i) * 7) % 300));
  return ids;
}

class CacheHit : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("troupe_cache_hit_" + std::to_string(getpid()) + "_" + GetParam() + ".gguf");
    ASSERT_TRUE(model::write_tiny_model(path_));
    auto opened = model::open_model(path_);
    ASSERT_TRUE(opened) << opened.error().message();
    resources_.models["main"] = std::move(*opened);
    resources_.params["main"] = Params({{"path", path_.string()},
                                        {"activations", "f32"},
                                        {"kv_precision", GetParam()},
                                        {"context", std::int64_t{0}}});
    auto executor =
        start_plugin(OperatorKind::executor, "transformer",
                     {{"model", "main"}, {"kv_blocks", 40}, {"swap_bytes", 1 << 22}}, resources_);
    ASSERT_TRUE(executor) << executor.error().message();
    executor_ = std::dynamic_pointer_cast<Executor>(*executor);
    resources_.executor = executor_->info();
    auto cache = start_plugin(OperatorKind::kv_cache, "paged", {}, resources_);
    ASSERT_TRUE(cache) << cache.error().message();
    cache_ = std::dynamic_pointer_cast<KvCache>(*cache);
  }
  void TearDown() override {
    if (executor_) executor_->stop();
    std::filesystem::remove(path_);
  }

  /// The logits of the last token of a prompt; sets num_cached_ and publishes and releases it.
  std::vector<float> run(std::uint64_t sequence, const std::vector<TokenId>& ids,
                         std::int32_t most_cached, std::int32_t chunk,
                         AfterRelease after = AfterRelease::share) {
    BlockRequest request;
    BlockRequest::Want want;
    want.sequence = SequenceId{sequence};
    want.num_tokens = static_cast<std::int32_t>(ids.size());
    want.token_ids = ids;
    want.max_cached_tokens = most_cached;
    request.wants = {want};
    BlockGrant grant;
    cache_->reserve(request, grant);
    EXPECT_EQ(grant.grants.at(0).short_of_blocks, 0);
    num_cached_ = grant.grants[0].num_cached_tokens;
    num_swapped_in_ = grant.swap_ins.size();
    std::vector<float> logits;
    for (auto first = num_cached_; first < want.num_tokens; first += chunk) {
      auto plan = plan_for(ids, first, std::min(chunk, want.num_tokens - first), grant);
      logits = submit(plan);
    }
    give_back(sequence, ids, after);
    return logits;
  }

  static StepPlan plan_for(const std::vector<TokenId>& ids, std::int32_t first, std::int32_t count,
                           BlockGrant& grant) {
    StepPlan plan;
    plan.copies = std::move(grant.copies);
    plan.swap_ins = std::move(grant.swap_ins);
    grant.copies.clear();
    grant.swap_ins.clear();
    plan.block_ids = grant.grants[0].new_blocks;
    plan.token_ids.assign(ids.begin() + first, ids.begin() + first + count);
    StepSegment segment;
    segment.sequence = grant.grants[0].sequence;
    segment.first_position = first;
    segment.num_tokens = count;
    segment.num_blocks = static_cast<std::uint32_t>(plan.block_ids.size());
    segment.rows = RowsWanted::last;
    plan.segments = {segment};
    plan.num_rows = 1;
    return plan;
  }

  std::vector<float> submit(StepPlan& plan) {
    plan.step = StepId{++last_step_};
    std::vector<float> logits;
    executor_->submit(plan, [&](const StepResult& result) {
      EXPECT_FALSE(result.error) << result.error->message();
      EXPECT_TRUE(result.failed.empty() && result.lost.empty());
      if (plan.num_rows == 0) return;
      const auto row = result.logits.row(0);
      logits.assign(row.begin(), row.end());
    });
    return logits;
  }

  void give_back(std::uint64_t sequence, const std::vector<TokenId>& ids, AfterRelease after) {
    BlockRequest request;
    request.publishes = {{SequenceId{sequence}, ids}};
    request.releases = {{SequenceId{sequence}, after}};
    BlockGrant grant;
    cache_->reserve(request, grant);
    StepPlan plan;
    plan.swap_outs = grant.swap_outs;
    if (!plan.empty()) submit(plan);
    EXPECT_TRUE(cache_->check());
  }

  static void expect_same(const std::vector<float>& a, const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(a[i], b[i], 1e-5) << "logit " << i;
    EXPECT_EQ(std::max_element(a.begin(), a.end()) - a.begin(),
              std::max_element(b.begin(), b.end()) - b.begin());
  }

  std::filesystem::path path_;
  testing::FakeResources resources_;
  std::shared_ptr<Executor> executor_;
  std::shared_ptr<KvCache> cache_;
  std::uint64_t last_step_ = 0;
  std::int32_t num_cached_ = 0;
  std::size_t num_swapped_in_ = 0;
};

TEST_P(CacheHit, HasTheLogitsOfAMiss) {
  const auto prompt = text(75, 3);
  auto other = prompt;
  const auto tail = text(30, 11);
  other.resize(53);
  other.insert(other.end(), tail.begin(), tail.end());
  for (const std::int32_t chunk : {3, 64}) {
    const auto cold = run(1, prompt, 0, chunk);
    const auto other_cold = run(2, other, 0, chunk);
    cache_->reset();
    run(3, prompt, 0, chunk);
    expect_same(run(4, prompt, 74, chunk), cold);
    EXPECT_EQ(num_cached_, 74);
    expect_same(run(5, other, 82, chunk), other_cold);
    EXPECT_GE(num_cached_, 53);
    expect_same(run(6, prompt, 64, chunk), cold);  // starts where a block starts
    EXPECT_EQ(num_cached_, 64);
    cache_->reset();
  }
}

TEST_P(CacheHit, OfWhatWasSwappedOutHasTheLogitsOfAMiss) {
  const auto prompt = text(75, 3);
  const auto cold = run(1, prompt, 0, 64, AfterRelease::swap);
  ASSERT_GT(cache_->stats().swap_slots_used, 0);
  for (std::uint64_t other = 2; other < 8; ++other)  // all that is cached is evicted
    run(other, text(300, static_cast<TokenId>(other * 37)), 0, 64);
  expect_same(run(1, prompt, 74, 64), cold);
  EXPECT_EQ(num_cached_, 74);
  EXPECT_GT(num_swapped_in_, 0u);
}

INSTANTIATE_TEST_SUITE_P(Precisions, CacheHit, ::testing::Values("f32", "bf16", "int8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace troupe::golden
