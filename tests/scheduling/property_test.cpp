#include "traffic.h"
#include "troupe/api/scheduler.h"
#include "troupe/core/block_math.h"
#include "troupe/core/param_check.h"
#include "troupe/plugin/registry.h"
#include "troupe/testing/fake_executor.h"
#include "troupe/testing/fake_resources.h"
#include "troupe/testing/token_loop.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

namespace troupe::scheduling_test {
namespace {

const Registry& registry() {
  static const Registry registry([] {
    Registry::Options options;
    options.folders = {std::string(TROUPE_BINARY_DIR) + "/lib/troupe/plugins"};
    return options;
  }());
  return registry;
}

template <class Kind>
std::shared_ptr<Kind> make(OperatorKind kind, std::string_view name, const Value::Object& params,
                           Resources& resources) {
  auto op = registry().create(kind, name).value();
  const auto complete = complete_params(registry().find(kind, name).value()->params, params);
  if (!complete || !op->configure(*complete) || !op->start(resources)) return nullptr;
  return std::dynamic_pointer_cast<Kind>(op);
}

/// A way to schedule: the plugin, its policy and the cache.
struct Way {
  const char* scheduler;
  const char* policy;  // of continuous
  const char* cache;   // a plugin, or "plain"
};

ExecutorInfo make_executor(std::mt19937& random, bool tiers) {
  auto info = testing::FakeResources().executor.value();
  info.num_blocks = 6 + static_cast<std::int64_t>(random() % 20);
  info.context_len = 128;
  info.kv_bytes_per_token = 4000;
  if (tiers && random() % 3 != 0) info.num_host_slots = 1 + static_cast<std::int64_t>(random() % 9);
  if (tiers && random() % 3 == 0) info.num_file_slots = 1 + static_cast<std::int64_t>(random() % 9);
  if (random() % 4 == 0) info.sliding_window = 8 + static_cast<std::int32_t>(random() % 40);
  return info;
}

Value::Object make_params(std::mt19937& random, const Way& way, const ExecutorInfo& info) {
  const bool tiers = info.num_host_slots + info.num_file_slots > 0;
  const char* preemption[] = {"auto", "recompute", tiers ? "swap" : "auto"};
  Value::Object params = {{"prefill_chunk", static_cast<std::int64_t>(1 + random() % 60)},
                          {"max_batch_tokens", static_cast<std::int64_t>(4 + random() % 90)},
                          {"max_num_seqs", static_cast<std::int64_t>(1 + random() % 9)},
                          {"preemption", preemption[random() % 3]},
                          // Small enough that a suspect alone in a full pool takes several steps.
                          {"min_prefill_tokens", std::int64_t{4}}};
  if (way.policy[0] != '\0') {
    params.emplace_back("policy", way.policy);
    params.emplace_back("ageing_ms", static_cast<double>(1 + random() % 50));
  }
  return params;
}

struct Counts {
  SchedulerStats scheduler;
  CacheStats cache;
};

class Traffic {
 public:
  Traffic(const Way& way, unsigned seed)
      : random_(seed),
        info_(make_executor(random_, way.cache != std::string("plain"))),
        executor_(info_) {
    resources_.executor = info_;
    scheduler_ = make<Scheduler>(OperatorKind::scheduler, way.scheduler,
                                 make_params(random_, way, info_), resources_);
    if (way.cache == std::string("plain"))
      cache_ = std::make_shared<testing::PlainCache>(info_.num_blocks);
    else
      cache_ = make<KvCache>(OperatorKind::kv_cache, way.cache, {}, resources_);
    traffic_ = make_traffic(random_, info_, way.policy == std::string("priority"));
    executor_.timings = [this](const StepPlan& plan) {
      StepTimings timings;
      timings.total_us = static_cast<double>(100 + 20 * plan.token_ids.size() + random_() % 50);
      return timings;
    };
    // Of a step that fails twice, the one request in it is at fault: that is another test's.
    executor_.on_step = [this](const StepPlan& plan) -> std::optional<Error> {
      if (turn_ > 300 || plan.segments.size() == 1 || random_() % 150 != 0) return std::nullopt;
      return Error(ErrorCode::device, "a passing fault");
    };
    executor_.on_swap = [this](const BlockSwap&) { return turn_ < 300 && random_() % 12 == 0; };
    loop_.emplace(*scheduler_, *cache_, executor_, sampler_);
  }

  void to_end() {
    for (; turn_ < 10000; ++turn_) {
      deliver();
      if (turn_ > 90 && !scheduler_->has_work()) break;
      if (turn_ < 300 && random_() % 200 == 0) lose_executor();
      if (scheduler_->has_work()) idle_ = loop_->turn(now(), events_) ? 0 : idle_ + 1;
      ASSERT_LE(idle_, 4) << "turns without a step while there is work, turn " << turn_;
      check(scheduler_->check());
      check(cache_->check());
      if (::testing::Test::HasFailure()) return;
    }
    ASSERT_LT(turn_, 10000) << "no end of turns";
    EXPECT_EQ(cache_->stats().blocks_used, 0) << "blocks were not given back";
    EXPECT_EQ(cache_->stats().swap_slots_used, 0) << "swap slots were not given back";
    check_answers();
  }

  Counts counts() const { return {scheduler_->stats(), cache_->stats()}; }

 private:
  Time now() const { return Time(std::chrono::milliseconds(turn_)); }
  void check(const Result<void>& good) const {
    EXPECT_TRUE(good) << good.error().message() << ", turn " << turn_;
  }

  void deliver() {
    for (const auto& arrival : traffic_) {
      if (arrival.turn == turn_) scheduler_->admit(arrival.request, now(), events_);
      if (arrival.cancel_turn == turn_)
        scheduler_->cancel(arrival.request->request->context->id, std::nullopt, now(), events_);
    }
  }

  void lose_executor() {
    executor_.forget();
    scheduler_->step_lost(now());
    cache_->reset();
  }

  void check_answers() const {
    std::map<std::pair<std::uint64_t, std::int32_t>, std::vector<TokenId>> made;
    std::map<std::uint64_t, FinishReason> ends;
    for (const auto& event : events_.events) {
      const auto id = event.context->id.value;
      EXPECT_FALSE(ends.contains(id)) << "an event after the last one of request " << id;
      auto& ids = made[{id, event.choice}];
      ids.insert(ids.end(), event.token_ids.begin(), event.token_ids.end());
      if (event.last) ends[id] = event.finish;
      EXPECT_FALSE(event.error) << event.error->message();
    }
    const bool whole = info_.sliding_window == 0;
    const auto most = std::min<std::int64_t>(info_.context_len, tokens_in(info_.num_blocks));
    for (const auto& arrival : traffic_) {
      const auto id = arrival.request->request->context->id.value;
      ASSERT_TRUE(ends.contains(id)) << "request " << id << " has no end";
      for (std::int32_t choice = 0; choice < arrival.request->request->n; ++choice) {
        const auto& found = made[{id, choice}];
        auto expected = answer_alone(*arrival.request, choice, info_.context_len, info_);
        if (whole) expected = answer_alone(*arrival.request, choice, most, info_);
        if (ends[id] == FinishReason::cancelled || !whole)
          expected.resize(std::min(expected.size(), found.size()));
        EXPECT_EQ(found, expected) << "request " << id << ", choice " << choice;
      }
    }
  }

  std::mt19937 random_;
  ExecutorInfo info_;
  testing::FakeResources resources_;
  testing::FakeExecutor executor_;
  MovedLargest sampler_;
  testing::RecordedEvents events_;
  std::shared_ptr<Scheduler> scheduler_;
  std::shared_ptr<KvCache> cache_;
  std::optional<testing::TokenLoop> loop_;
  std::vector<Arrival> traffic_;
  int turn_ = 0;
  int idle_ = 0;
};

class Schedulers : public ::testing::TestWithParam<Way> {};

TEST_P(Schedulers, GiveEveryRequestTheTokensItGetsAloneWhateverComesBetween) {
  std::int64_t preemptions = 0, swaps = 0, lost = 0, recomputed = 0;
  for (unsigned seed = 0; seed < 250; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Traffic run(GetParam(), seed);
    run.to_end();
    if (HasFailure()) return;
    const auto counts = run.counts().scheduler;
    preemptions += counts.preemptions;
    swaps += counts.swaps;
    lost += counts.lost;
    recomputed += counts.recomputed_tokens;
  }
  EXPECT_GT(preemptions, 20);
  EXPECT_GT(recomputed, 100);
  const bool tiers = GetParam().cache != std::string("plain");
  EXPECT_EQ(swaps > 0, tiers);
  static_cast<void>(lost);
}

INSTANTIATE_TEST_SUITE_P(
    All, Schedulers,
    ::testing::Values(Way{"continuous", "fcfs", "plain"}, Way{"continuous", "fcfs", "paged"},
                      Way{"continuous", "priority", "plain"},
                      Way{"continuous", "priority", "paged"},
                      Way{"continuous", "deadline", "paged"}, Way{"continuous", "fair", "paged"},
                      Way{"static", "", "plain"}, Way{"static", "", "paged"}),
    [](const auto& info) {
      return std::string(info.param.scheduler) + "_" + info.param.policy + "_" + info.param.cache;
    });

}  // namespace
}  // namespace troupe::scheduling_test
