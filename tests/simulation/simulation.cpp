#include "simulation.h"

#include "client.h"
#include "troupe/api/sampler.h"
#include "troupe/api/scheduler.h"
#include "troupe/core/param_check.h"
#include "troupe/testing/fake_executor.h"
#include "troupe/testing/fake_resources.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <set>

namespace troupe::simulation {
namespace {

constexpr int kMostTurns = 20000;
constexpr int kFaultTurns = 400;
constexpr int kMostIdleTurns = 3;

template <class Kind>
std::shared_ptr<Kind> make(const Registry& registry, OperatorKind kind, std::string_view name,
                           const Value::Object& given, Resources& resources) {
  const auto spec = registry.find(kind, name).value();
  auto op = registry.create(kind, name).value();
  TROUPE_CHECK(op->configure(complete_params(spec->params, given).value()).has_value());
  TROUPE_CHECK(op->start(resources).has_value());
  return std::dynamic_pointer_cast<Kind>(op);
}

class Run {
 public:
  Run(const Scenario& scenario, const Registry& registry)
      : scenario_(scenario),
        registry_(registry),
        random_(scenario.seed ^ 0x5eed),
        executor_(scenario.executor) {
    resources_.executor = scenario.executor;
    scheduler_ = make_scheduler();
    cache_ = make<KvCache>(registry, OperatorKind::kv_cache, "paged", {}, resources_);
    sampler_ = make<Sampler>(registry, OperatorKind::sampler, "gumbel", {}, resources_);
    clients_.emplace(scenario_.executor, *sampler_);
    executor_.on_step = [this](const StepPlan& plan) { return step_error(plan); };
    executor_.on_swap = [this](const BlockSwap&) {
      const bool fails = happens(scenario_.faults.swap_fails);
      counts_.swap_failures += fails ? 1 : 0;
      ++counts_.swaps;
      return fails;
    };
    executor_.on_segment = [this](const StepSegment& segment) { return row_error(segment); };
  }

  Result<Counts> to_end(std::vector<TokenEvent>* events) {
    for (; turn_ < kMostTurns; ++turn_) {
      deliver();
      if (turn_ > last_arrival_ && !scheduler_->has_work()) break;
      if (one_turn(); !fault_.empty()) break;
      check();
      if (!fault_.empty()) break;
    }
    if (fault_.empty() && turn_ == kMostTurns) fault_ = "no end of turns";
    if (fault_.empty() && !clients_->all_ended()) fault_ = "a request has no end";
    if (fault_.empty() && cache_->stats().blocks_used != 0) fault_ = "blocks were not given back";
    if (fault_.empty() && cache_->stats().swap_slots_used != 0)
      fault_ = "swap slots were not given back";
    if (!fault_.empty())
      return fail(ErrorCode::internal, "seed " + std::to_string(scenario_.seed) + ", turn " +
                                           std::to_string(turn_) + ": " + fault_);
    counts_.ends = clients_->ends;
    counts_.preemptions += scheduler_->stats().preemptions;
    if (events) *events = clients_->events();
    return counts_;
  }

 private:
  std::shared_ptr<Scheduler> make_scheduler() {
    return make<Scheduler>(registry_, OperatorKind::scheduler, scenario_.scheduler.plugin,
                           scenario_.scheduler.params, resources_);
  }

  Time now() const { return Time(std::chrono::milliseconds(turn_)); }
  /// Faults end some time, or a long prompt in small chunks would never come through.
  bool happens(int in_thousand) {
    return turn_ < kFaultTurns && static_cast<int>(random_() % 1000) < in_thousand;
  }

  std::optional<Error> step_error(const StepPlan& plan) {
    for (const auto& segment : plan.segments) {
      const TokenId first = plan.token_ids[segment.token_offset];
      if (segment.first_position != 0) continue;
      if (first == kBreaksSteps) return Error(ErrorCode::device, "broken by a request");
    }
    // Its first token need not be computed here: another prompt that begins alike may have done it.
    for (const auto& row : plan.samples)
      if (row.history[0] == kBreaksRows) broken_rows_.insert(row.sequence);
    if (plan.segments.size() < 2 || !happens(scenario_.faults.step_error)) return std::nullopt;
    ++counts_.step_errors;
    return Error(ErrorCode::device, "a passing fault");
  }

  std::optional<Error> row_error(const StepSegment& segment) {
    if (!broken_rows_.contains(segment.sequence)) return std::nullopt;
    return Error(ErrorCode::device, "the logits are not finite");
  }

  void deliver() {
    for (const auto& arrival : scenario_.arrivals) {
      last_arrival_ = std::max(last_arrival_, arrival.turn);
      const auto id = arrival.request->request->context->id;
      if (arrival.turn == turn_) {
        clients_->sent(arrival);
        scheduler_->admit(arrival.request, now(), *clients_);
      }
      if (arrival.cancel_turn == turn_) {
        if (random_() % 2 == 0)
          arrival.request->request->context->cancelled = true;
        else
          scheduler_->cancel(id, std::nullopt, now(), *clients_);
        if (random_() % 2 == 0) scheduler_->cancel(id, std::nullopt, now(), *clients_);
      }
    }
    if (const auto deadline = scheduler_->next_deadline(); deadline && *deadline <= now())
      scheduler_->expire(now(), *clients_);
  }

  void one_turn() {
    if (happens(scenario_.faults.hand_over)) hand_over();
    if (happens(scenario_.faults.executor_lost)) lose_executor();
    if (!scheduler_->has_work()) return;
    scheduler_->want(now(), request_);
    cache_->reserve(request_, grant_);
    scheduler_->plan(grant_, now(), plan_, *clients_);
    idle_turns_ = plan_.empty() ? idle_turns_ + 1 : 0;
    if (idle_turns_ > kMostIdleTurns) fault_ = "turns without a step while there is work";
    if (plan_.empty()) return;
    ++counts_.steps;
    counts_.tokens += static_cast<std::int64_t>(plan_.token_ids.size());
    cancel_in_mid_step();
    if (plan_.segments.size() > 1 && happens(scenario_.faults.executor_lost))
      return lose_executor();
    executor_.submit(plan_, [this](const StepResult& result) {
      sampled_.tokens.clear();
      if (!result.error)
        sampler_->sample({plan_.step, result.logits, plan_.samples, scenario_.executor.vocab_size},
                         sampled_);
      scheduler_->complete(result, sampled_, now(), *clients_);
    });
  }

  /// As when the message comes while an accelerator computes.
  void cancel_in_mid_step() {
    for (const auto& arrival : scenario_.arrivals)
      if (arrival.cancel_turn == turn_ - 1)
        scheduler_->cancel(arrival.request->request->context->id, std::nullopt, now(), *clients_);
  }

  void lose_executor() {
    ++counts_.executor_losses;
    executor_.forget();
    scheduler_->step_lost(now());
    cache_->reset();
  }

  void hand_over() {
    ++counts_.hand_overs;
    counts_.preemptions += scheduler_->stats().preemptions;
    auto journal = scheduler_->journal();
    scheduler_->stop();
    scheduler_ = make_scheduler();
    const auto restored = scheduler_->restore(std::move(journal), now());
    if (!restored) fault_ = restored.error().message();
    cache_->reset();
    executor_.forget();
    broken_rows_.clear();
  }

  void check() {
    if (const auto good = scheduler_->check(); !good) fault_ = good.error().message();
    if (const auto good = cache_->check(); !good) fault_ = good.error().message();
    const auto stats = cache_->stats();
    if (stats.blocks_free + stats.blocks_used + stats.blocks_cached != stats.blocks_total)
      fault_ = "free + used + cached != total";
    if (!clients_->fault().empty()) fault_ = clients_->fault();
  }

  const Scenario& scenario_;
  const Registry& registry_;
  std::mt19937_64 random_;
  testing::FakeResources resources_;
  testing::FakeExecutor executor_;
  std::shared_ptr<Scheduler> scheduler_;
  std::shared_ptr<KvCache> cache_;
  std::shared_ptr<Sampler> sampler_;
  std::optional<Clients> clients_;
  std::set<SequenceId> broken_rows_;
  BlockRequest request_;
  BlockGrant grant_;
  StepPlan plan_;
  SampledTokens sampled_;
  Counts counts_;
  std::string fault_;
  int turn_ = 0;
  int last_arrival_ = 0;
  int idle_turns_ = 0;
};

}  // namespace

void Counts::add(const Counts& other) {
  steps += other.steps;
  tokens += other.tokens;
  preemptions += other.preemptions;
  step_errors += other.step_errors;
  executor_losses += other.executor_losses;
  swaps += other.swaps;
  swap_failures += other.swap_failures;
  hand_overs += other.hand_overs;
  for (const auto& [reason, count] : other.ends)
    ends[reason] += count;
}

Result<Counts> run(const Scenario& scenario, const Registry& registry,
                   std::vector<TokenEvent>* events) {
  return Run(scenario, registry).to_end(events);
}

}  // namespace troupe::simulation
