// The wrappers of the operators that a step visits: cache, executor, sampler.
#include "faulty_operators.h"
#include "troupe/api/blocks.h"
#include "troupe/api/sampler.h"
#include "troupe/testing/fake_executor.h"

#include <algorithm>
#include <map>
#include <vector>

namespace troupe::simulation {
namespace {

class FaultyCache final : public Faulty<KvCache> {
 public:
  using Faulty::Faulty;
  ~FaultyCache() override {
    if (loop_ && loop_->cache == inner_.get()) loop_->cache = nullptr;
  }
  Result<void> start(Resources& resources) override {
    auto started = Faulty::start(resources);
    if (!started) return started;
    loop_ = &world_.loop_of(resources.executor_info().value());
    loop_->cache = inner_.get();
    loop_->books.clear();
    taken_over_.clear();
    return {};
  }
  void reserve(const BlockRequest& request, BlockGrant& out) override {
    const auto asked = request.last_step_failed ? with_trust(request) : request;
    // The loop computes again what was lost: nobody ends for it.
    world_.call(Fault::cache_throws, 0, [&] { inner_->reserve(asked, out); });
    for (const auto& grant : out.grants)
      if (grant.short_of_blocks > 0) world_.count(Fault::pool_full);
    world_.wrong_unless_empty(loop_->books.note(asked, out));
    remember_taken_over(asked, out);
  }
  void reset() override {
    world_.call(Fault::cache_throws, 0, [&] { inner_->reset(); });
    loop_->books.clear();
    taken_over_.clear();
  }
  CacheStats stats() const override { return inner_->stats(); }
  Result<void> check() const override { return inner_->check(); }

 private:
  /// The request of a scheduler that has not forgotten what came with the failed step: the cache
  /// itself is to know that its copies and swaps were perhaps not done.
  BlockRequest with_trust(BlockRequest request) {
    for (auto& release : request.releases) {
      const auto found = taken_over_.find(release.sequence);
      if (found == taken_over_.end() || release.after != AfterRelease::forget) continue;
      if (!world_.fires(Fault::scheduler_trusts)) continue;
      request.publishes.push_back({release.sequence, found->second});
      release.after = AfterRelease::share;
    }
    return request;
  }
  void remember_taken_over(const BlockRequest& request, const BlockGrant& grant) {
    taken_over_.clear();
    for (std::size_t i = 0; i < grant.grants.size(); ++i) {
      const auto& ids = request.wants[i].token_ids;
      const auto num_cached = grant.grants[i].num_cached_tokens;
      if (num_cached > 0)
        taken_over_[request.wants[i].sequence] = {ids.begin(), ids.begin() + num_cached};
    }
  }

  Loop* loop_ = nullptr;
  std::map<SequenceId, std::vector<TokenId>> taken_over_;  // in the last grant
};

class FaultyExecutor final : public Executor {
 public:
  FaultyExecutor(World& world, std::string_view name) : world_(world) {
    auto info = world.info;
    info.device = name.substr(name.size() - 1);  // tells the two loops apart
    inner_ = std::make_shared<testing::FakeExecutor>(info);
    inner_->on_step = [this](const StepPlan& plan) { return on_step(plan); };
    inner_->on_segment = [this](const StepSegment&) { return on_segment(); };
    inner_->timings = [](const StepPlan& plan) { return timings_of(plan); };
    inner_->on_swap = [this](const BlockSwap& swap) { return on_swap(swap); };
  }
  Result<void> start(Resources&) override {
    if (world_.fires(Fault::restart_fails))
      return fail(ErrorCode::internal, world_.plant(World::kAll));
    return {};
  }
  const ExecutorInfo& info() const override { return inner_->info(); }

  void submit(const StepPlan& plan, const Done& done) override {
    auto& loop = world_.loop_of(info());
    if (loop.finish_step) world_.wrong("a step is submitted while another is under way");
    if (loop.only_time_passes) world_.wrong("a step waited for the clock and could have run");
    world_.wrong_unless_empty(loop.books.check(plan));
    const bool late = world_.fires(Fault::executor_late);
    const StepResult* outcome = nullptr;
    world_.call(Fault::executor_throws, 0, [&] {
      inner_->submit(plan, [&](const StepResult& result) {
        if (late)
          outcome = &result;
        else
          done(result);
      });
    });
    if (late) loop.finish_step = [inner = inner_, done, outcome] { done(*outcome); };
  }

 private:
  /// So that schedulers that measure have something to measure.
  static StepTimings timings_of(const StepPlan& plan) {
    StepTimings timings;
    timings.swap_us = 30.0 * static_cast<double>(plan.swap_outs.size() + plan.swap_ins.size());
    timings.total_us = 100.0 + 10.0 * static_cast<double>(plan.token_ids.size()) + timings.swap_us;
    return timings;
  }
  std::optional<Error> on_step(const StepPlan& plan) {
    plan_ = &plan;
    if (!world_.fires(Fault::step_error)) return std::nullopt;
    return Error(ErrorCode::device, "a passing fault");
  }
  std::optional<Error> on_segment() {
    if (!world_.fires(Fault::row_failure)) return std::nullopt;
    return Error(ErrorCode::device, "the logits are not finite");
  }
  bool on_swap(const BlockSwap& swap) {
    const auto& outs = plan_->swap_outs;
    const bool out = std::any_of(outs.begin(), outs.end(),
                                 [&](const BlockSwap& other) { return &other == &swap; });
    return world_.fires(out ? Fault::swap_out_fails : Fault::swap_in_fails);
  }

  World& world_;
  std::shared_ptr<testing::FakeExecutor> inner_;
  const StepPlan* plan_ = nullptr;
};

class FaultySampler final : public Faulty<Sampler> {
 public:
  using Faulty::Faulty;
  void sample(const SampleBatch& batch, SampledTokens& out) const override {
    const auto rows = static_cast<std::int64_t>(batch.rows.size());
    world_.call(Fault::sampler_throws, rows, [&] { inner_->sample(batch, out); });
    if (rows == 0) return;
    if (world_.fires(Fault::sampler_miscounts)) {
      world_.excuse("the plugin drew", rows);
      world_.dice.one_in(2) ? out.tokens.pop_back() : out.tokens.push_back(out.tokens.front());
    } else if (world_.fires(Fault::sampler_lies)) {
      const auto i = static_cast<std::size_t>(world_.dice.from(0, static_cast<int>(rows) - 1));
      const bool scored = batch.rows[i].scored >= 0;
      world_.excuse(scored ? "the sampler does not score" : "the sampler gave", 1);
      lie(out.tokens[i]);
    }
  }

 private:
  void lie(SampledToken& token) const {
    switch (world_.dice.from(1, 3)) {
      case 1:
        token.token = -1;
        break;
      case 2:
        token.token = world_.info.vocab_size;
        break;
      default:
        token.sequence.value += 1000;
    }
  }
};

}  // namespace

std::shared_ptr<Operator> faulty_cache(World& world, std::shared_ptr<Operator> inner) {
  return std::make_shared<FaultyCache>(world, inner);
}
std::shared_ptr<Operator> faulty_executor(World& world, std::string_view name) {
  return std::make_shared<FaultyExecutor>(world, name);
}
std::shared_ptr<Operator> faulty_sampler(World& world, std::shared_ptr<Operator> inner) {
  return std::make_shared<FaultySampler>(world, inner);
}

}  // namespace troupe::simulation
