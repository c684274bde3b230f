#include "actor_run.h"

#include "clients.h"
#include "faulty_operators.h"
#include "troupe/actors/testing/stepped_runtime.h"
#include "world.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::simulation {
namespace {

using namespace std::chrono_literals;

constexpr int kMostTurns = 200000;
/// A clock jump, and the time that passes at the end: longer than any tick.
constexpr auto kLongTime = 2s;

class ActorRun {
 public:
  ActorRun(const ActorScenario& scenario, const SimulatedPipeline& pipeline, std::ostream* log)
      : scenario_(scenario),
        world_(scenario.seed ^ 0xac7035, scenario.rates, scenario.executor),
        catalog_(pipeline.plugins(), &world_),
        sampler_(std::dynamic_pointer_cast<Sampler>(
            pipeline.plugins().create(OperatorKind::sampler, "gumbel").value())),
        clients_(world_, *sampler_) {
    world_.clients = &clients_;
    world_.log = log;
    arrivals_ = scenario.arrivals;
    retries_left_ = scenario.num_retries;
    std::stable_sort(arrivals_.begin(), arrivals_.end(),
                     [](const auto& a, const auto& b) { return a.turn < b.turn; });
    auto runtime = actors::SteppedRuntime::start(
        pipeline.adapt(scenario), catalog_, [this](const std::string&, const Error& error) {
          if (error.message().find("stopped after") != std::string::npos)
            world_.count(Fault::budget_spent);
        });
    if (!runtime) {
      world_.wrong(runtime.error().message());
      return;
    }
    runtime_ = std::move(*runtime);
    door_ = runtime_->door();
  }

  Result<Outcome> to_end() {
    world_.faults_on = true;
    for (; turn_ < kMostTurns && !ended_ && world_.fault().empty(); ++turn_)
      one_turn();
    if (turn_ == kMostTurns) world_.wrong("no end of turns");
    if (world_.fault().empty()) settle();
    if (!world_.fault().empty())
      return fail(ErrorCode::internal, "seed " + std::to_string(scenario_.seed) + ", turn " +
                                           std::to_string(turn_) + ": " + world_.fault());
    return Outcome{turn_, num_tokens_, world_.counts, clients_.ends, world_.trace.hash()};
  }

 private:
  struct Slow {
    std::string actor;
    int until = 0;
  };

  // Parts of a turn.
  void one_turn();
  void pass_time();
  void clients_act();
  void submit(const ActorArrival& arrival);
  void try_again(const ActorArrival& arrival);
  void cancel(RequestId id);
  void shut_down();
  void finish_late_steps(bool now);
  bool run_one();
  void run_actor(std::size_t i);
  bool is_slow(const std::string& actor) const;
  void maybe_slow_down();
  void nothing_is_ready();
  void let_time_pass(Time::duration by);
  // What must be.
  void check_books();
  void settle();
  void check_at_end();
  void check_operator(const std::string& name);

  const ActorScenario& scenario_;
  World world_;
  FaultyCatalog catalog_;
  std::shared_ptr<Sampler> sampler_;
  Clients clients_;
  std::vector<ActorArrival> arrivals_;
  std::size_t next_arrival_ = 0;
  std::vector<const ActorArrival*> to_retry_;
  int retries_left_ = 0;
  std::unique_ptr<actors::SteppedRuntime> runtime_;
  std::shared_ptr<EmbedDoor> door_;
  Slow slow_;
  int turn_ = 0;
  bool ended_ = false;
  std::int64_t num_tokens_ = 0;
};

void ActorRun::one_turn() {
  if (turn_ == scenario_.fault_turns) world_.faults_on = false;
  pass_time();
  clients_act();
  finish_late_steps(false);
  maybe_slow_down();
  if (!run_one()) nothing_is_ready();
  check_books();
}

void ActorRun::let_time_pass(Time::duration by) {
  runtime_->advance(by);
  world_.trace.add(runtime_->now().time_since_epoch().count());
}

void ActorRun::pass_time() {
  if (world_.fires(Fault::clock_jump)) return let_time_pass(kLongTime);
  let_time_pass(std::chrono::microseconds(world_.dice.from(0, 200)));
}

void ActorRun::submit(const ActorArrival& arrival) {
  world_.something_happens();
  const auto& tokenized = *arrival.request;
  if (tokenized.request->client_id == "same") world_.count(Fault::same_client_id);
  auto id = door_->submit(*tokenized.request, [this, &arrival](const TokenEvent& event) {
    num_tokens_ += static_cast<std::int64_t>(event.token_ids.size());
    clients_.on_event(event, runtime_->now());
    if (event.error) try_again(arrival);
  });
  if (id) world_.note("  submit request ", id->value);
  if (id) return clients_.sent(*id, tokenized);
  ++clients_.ends["refused at the door"];
  if (id.error().code() == ErrorCode::resource_exhausted)
    world_.count(Fault::queue_full);
  else if (id.error().code() != ErrorCode::cancelled && world_.counts[Fault::actor_dies] == 0)
    world_.wrong("the door refused a request: " + id.error().message());
}

/// What failed is sent again while the loop still has to do with the fault.
void ActorRun::try_again(const ActorArrival& arrival) {
  if (!world_.faults_on || retries_left_ == 0) return;
  --retries_left_;
  world_.count(Fault::client_retries);
  to_retry_.push_back(&arrival);
}

void ActorRun::cancel(RequestId id) {
  world_.something_happens();
  world_.note("  cancel request ", id.value);
  clients_.cancelled(id);
  door_->cancel(id);
}

void ActorRun::clients_act() {
  while (next_arrival_ < arrivals_.size() && arrivals_[next_arrival_].turn <= turn_)
    submit(arrivals_[next_arrival_++]);
  for (const auto* arrival : std::exchange(to_retry_, {}))
    submit(*arrival);
  auto& dice = world_.dice;
  if (dice.from(0, 9999) < scenario_.cancel_rate && clients_.num_open() > 0) {
    world_.count(Fault::client_cancels);
    cancel(*clients_.open(dice.from(0, static_cast<int>(clients_.num_open()) - 1)));
  }
  if (world_.fires(Fault::cancels_again)) {
    const RequestId id{static_cast<std::uint64_t>(dice.from(1, 15))};
    if (const auto* request = clients_.find(id); !request || dice.one_in(2)) cancel(id);
  }
  if (turn_ == scenario_.shutdown_turn) shut_down();
  if (turn_ == scenario_.death_turn) {
    world_.count(Fault::actor_dies);
    runtime_->kill(scenario_.dies);
  }
}

void ActorRun::shut_down() {
  world_.count(Fault::shutdown);
  world_.something_happens();
  runtime_->refuse_new(Error(ErrorCode::cancelled, "the pipeline is shutting down"));
  clients_.all_cancelled();
  runtime_->cancel_all();
}

void ActorRun::finish_late_steps(bool now) {
  for (auto& loop : world_.loops) {
    if (!loop.finish_step || !(now || world_.dice.one_in(scenario_.late_turns))) continue;
    world_.something_happens();
    std::exchange(loop.finish_step, nullptr)();
    if (now) return;
  }
}

bool ActorRun::is_slow(const std::string& actor) const {
  return actor == slow_.actor && turn_ < slow_.until;
}

void ActorRun::maybe_slow_down() {
  if (turn_ < slow_.until || runtime_->num_ready() == 0) return;
  if (world_.fires(Fault::slow_reader)) {
    slow_ = {"client", turn_ + world_.dice.from(20, 300)};
  } else if (world_.fires(Fault::late_message)) {
    const auto i = world_.dice.from(0, static_cast<int>(runtime_->num_ready()) - 1);
    slow_ = {runtime_->ready(static_cast<std::size_t>(i)), turn_ + world_.dice.from(20, 200)};
  }
}

bool ActorRun::run_one() {
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < runtime_->num_ready(); ++i)
    if (!is_slow(runtime_->ready(i))) ready.push_back(i);
  if (ready.empty()) return false;
  std::size_t choice = 0;
  if (ready.size() > 1 && world_.wants(Fault::overtaking)) {
    choice = static_cast<std::size_t>(world_.dice.from(0, static_cast<int>(ready.size()) - 1));
    if (choice > 0) world_.count(Fault::overtaking);
  }
  run_actor(ready[choice]);
  return true;
}

void ActorRun::run_actor(std::size_t i) {
  const auto name = runtime_->ready(i);
  const auto us =
      std::chrono::duration_cast<std::chrono::microseconds>(runtime_->now().time_since_epoch());
  world_.note("turn ", turn_, ", ", us.count(), " us: ", name);
  runtime_->run(i);
  // A scheduler whose events have no room downstream waits for the clock: so it is meant.
  if (name == "sa") world_.loops[0].held_back = runtime_->events_full("ta");
  if (name == "sb") world_.loops[1].held_back = runtime_->events_full("tb");
}

void ActorRun::nothing_is_ready() {
  if (runtime_->num_ready() > 0) {  // but slow ones
    slow_.until = 0;
    return;
  }
  for (const auto& loop : world_.loops)
    if (loop.finish_step) return finish_late_steps(true);
  // Behind a dead actor mailboxes stay full and schedulers look at them for ever.
  const bool behind_the_dead = world_.counts[Fault::actor_dies] > 0 && runtime_->in_flight() == 0;
  if (behind_the_dead && next_arrival_ == arrivals_.size()) {
    ended_ = true;
    return;
  }
  if (const auto timer = runtime_->next_timer()) {
    for (auto& loop : world_.loops)
      loop.only_time_passes = !loop.held_back;
    return let_time_pass(std::max<Time::duration>(*timer - runtime_->now(), 0ns));
  }
  if (next_arrival_ < arrivals_.size()) {
    turn_ = std::max(turn_, arrivals_[next_arrival_].turn - 1);
    return;
  }
  ended_ = true;
  if (runtime_->in_flight() > 0)
    world_.wrong(std::to_string(runtime_->in_flight()) +
                 " requests are under way and nothing will ever happen");
}

void ActorRun::check_books() {
  for (auto& loop : world_.loops) {
    if (!loop.cache) continue;
    if (auto good = loop.cache->check(); !good) world_.wrong(good.error().message());
    world_.wrong_unless_empty(loop.books.compare(loop.cache->stats()));
  }
}

void ActorRun::settle() {
  world_.faults_on = false;
  for (int i = 0; i < 100; ++i) {
    let_time_pass(kLongTime);
    while (run_one()) {
    }
  }
  check_books();
  if (clients_.num_open() > 0) world_.wrong("a request has no end");
  if (runtime_->in_flight() > 0) world_.wrong("the door still has a request under way");
  if (world_.fault().empty()) check_at_end();
}

void ActorRun::check_at_end() {
  if (world_.counts[Fault::actor_dies] > 0) return;
  if (clients_.num_remembered() > 0)
    world_.wrong("at the end, somebody still holds " + std::to_string(clients_.num_remembered()) +
                 " requests");
  if (runtime_->waiting_messages() != 0)
    world_.wrong("the gauges count messages, and none is there");
  for (const char* name :
       {"client", "guard", "router", "ta", "sa", "ka", "ea", "pa", "tb", "sb", "kb", "eb", "pb"})
    check_operator(name);
  for (const auto& loop : world_.loops)
    if (loop.cache && loop.scheduler && loop.books.num_used() != 0)
      world_.wrong("blocks were not given back");
  for (const auto& loop : world_.loops)
    if (loop.cache && loop.scheduler && loop.cache->stats().swap_slots_used != 0)
      world_.wrong("swap slots were not given back");
}

void ActorRun::check_operator(const std::string& name) {
  const auto stats = runtime_->stats(name);
  if (!stats) return world_.wrong("the actor of operator '" + name + "' is dead");
  for (const char* figure : {"waiting", "running", "dropping", "decoding", "late_events"})
    if (const auto* value = stats->find(figure); value && value->as_int() != 0)
      world_.wrong("at the end, operator '" + name + "' counts " + std::to_string(value->as_int()) +
                   " as " + figure);
}

}  // namespace

void Outcome::add(const Outcome& other) {
  turns += other.turns;
  tokens += other.tokens;
  faults.add(other.faults);
  for (const auto& [reason, count] : other.ends)
    ends[reason] += count;
}

Result<Outcome> run(const ActorScenario& scenario, const SimulatedPipeline& pipeline,
                    std::ostream* log) {
  return ActorRun(scenario, pipeline, log).to_end();
}

}  // namespace troupe::simulation
