#include "troupe/actors/pipeline_runtime.h"

#include "troupe/actors/assembly.h"

#include <condition_variable>
#include <mutex>

namespace troupe::actors {
namespace {

using Clock = std::chrono::steady_clock;

/// How long requests that were cancelled at the end of a drain may take; then their clients are
/// told without them.
constexpr auto kCancelLimit = std::chrono::seconds(1);
/// How long actors that were told to exit may take.
constexpr auto kExitLimit = std::chrono::seconds(5);
constexpr auto kPoll = std::chrono::milliseconds(5);

/// CAF asks for its options before the system is made.
struct SystemConfig : caf::actor_system_config {
  explicit SystemConfig(int pool_threads) {
    // Policy `stealing` polls while idle; unlimited throughput lets one busy actor starve the
    // others.
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-throughput", std::size_t{50});
    set("scheduler.max-threads", static_cast<std::size_t>(pool_threads));
  }
};

/// Tells the actors to exit and waits until they are down; false when one is not by `deadline`.
bool exit_actors(caf::actor_system& system, const std::vector<caf::actor>& actors,
                 Clock::time_point deadline) {
  caf::scoped_actor self{system};
  for (const auto& actor : actors)
    self->monitor(actor);
  for (const auto& actor : actors)
    exit_now(actor);
  std::size_t down = 0;
  bool in_time = true;
  while (down < actors.size() && in_time) {
    const auto left = std::max(deadline - Clock::now(), Clock::duration::zero());
    self->receive([&](const caf::down_msg&) { ++down; },
                  caf::after(std::chrono::duration_cast<std::chrono::milliseconds>(left)) >>
                      [&] { in_time = false; });
  }
  return in_time;
}

}  // namespace

struct PipelineRuntime::State {
  State(const pipeline::PipelineSpec& pipeline, Options all_options)
      : spec(pipeline), options(std::move(all_options)), config(options.pool_threads) {}

  void on_failure(const std::string& name, const Error& error, bool shell_died) {
    if (shell_died) fail_doors(members, error);
    if (options.on_failure) options.on_failure(name, error);
  }

  template <class Predicate>
  bool wait_until(Clock::time_point deadline, const Predicate& done) {
    while (!done()) {
      if (Clock::now() >= deadline) return false;
      std::this_thread::sleep_for(kPoll);
    }
    return true;
  }

  std::size_t in_flight() const {
    std::size_t count = 0;
    for (const auto& member : members)
      if (member.door) count += member.door->in_flight();
    return count;
  }

  template <class Function>
  void for_each_door(const Function& function) {
    for (auto& member : members)
      if (member.door) function(member);
  }

  void refuse_new();
  void drain(std::chrono::milliseconds limit, const std::atomic<bool>& ended);
  bool stop_actors();

  const pipeline::PipelineSpec spec;
  const Options options;
  SystemConfig config;  // must outlive the system
  std::vector<Member> members;
  std::unique_ptr<caf::actor_system> system;
  std::vector<std::unique_ptr<StepLoop>> loops;
  caf::actor supervisor;
  bool closed = false;
};

void PipelineRuntime::State::refuse_new() {
  for_each_door([](Member& member) {
    member.door->refuse_new(Error(ErrorCode::cancelled, "the pipeline is shutting down"));
  });
}

void PipelineRuntime::State::drain(std::chrono::milliseconds limit,
                                   const std::atomic<bool>& ended) {
  refuse_new();
  const auto idle = [&] { return in_flight() == 0; };
  wait_until(Clock::now() + limit, [&] { return idle() || ended; });
  if (idle()) return;
  for_each_door([](Member& member) { member.door->cancel_all(); });
  if (wait_until(Clock::now() + kCancelLimit, idle)) return;
  for_each_door([](Member& member) {
    member.door->fail_all(
        Error(ErrorCode::cancelled, "the pipeline was closed before the request ended"));
  });
  wait_until(Clock::now() + kCancelLimit, idle);
}

bool PipelineRuntime::State::stop_actors() {
  std::vector<caf::actor> actors;
  for (auto& member : members) {
    if (member.door) member.door->disconnect();
    for (auto* actor : {&member.actor, &member.encoder}) {
      if (*actor) actors.push_back(std::move(*actor));
      *actor = nullptr;
    }
  }
  if (supervisor) actors.push_back(std::move(supervisor));
  supervisor = nullptr;
  return exit_actors(*system, actors, Clock::now() + kExitLimit);
}

PipelineRuntime::PipelineRuntime(std::unique_ptr<State> state) : state_(std::move(state)) {}

PipelineRuntime::~PipelineRuntime() {
  if (state_) static_cast<void>(close(std::chrono::milliseconds(0)));
}

Result<std::unique_ptr<PipelineRuntime>> PipelineRuntime::start(const pipeline::PipelineSpec& spec,
                                                                const Catalog& catalog,
                                                                Options options) {
  auto state = std::make_unique<State>(spec, std::move(options));
  State& s = *state;
  s.members = make_members(s.spec, catalog, DoorHooks{s.options.on_announce, {}});
  if (auto started = start_members(s.spec, s.members, s.options.on_starting); !started)
    return fail(started.error());

  s.system = std::make_unique<caf::actor_system>(s.config);
  for (const auto& loop : s.spec.loops) {
    s.loops.push_back(std::make_unique<StepLoop>(*s.system, s.options.loop_spin));
    for (const auto op : {loop.scheduler, loop.kv_cache, loop.executor, loop.sampler})
      s.members[op].loop = s.loops.back().get();
  }
  spawn_members(*s.system, s.spec, s.members);
  s.supervisor = supervise_members(*s.system, s.spec, s.members,
                                   [&s](const std::string& name, const Error& error, bool died) {
                                     s.on_failure(name, error, died);
                                   });
  connect_members(s.spec, s.members, s.supervisor);

  std::unique_ptr<PipelineRuntime> runtime(new PipelineRuntime(std::move(state)));
  if (auto opened = open_doors(s.members); !opened) return fail(opened.error());
  return runtime;
}

Result<std::shared_ptr<EmbedDoor>> PipelineRuntime::embed_door(std::string_view name) {
  for (auto& member : state_->members) {
    if (!member.door || (!name.empty() && member.host->name() != name)) continue;
    if (auto door = member.host->share<EmbedDoor>()) return door;
  }
  return fail(
      ErrorCode::not_found,
      name.empty()
          ? "the pipeline has no door for the hosting program; add an ingress operator with "
            "plugin = \"embed\""
          : "the pipeline has no door '" + std::string(name) + "' for the hosting program");
}

std::size_t PipelineRuntime::in_flight() const {
  return state_->in_flight();
}

bool PipelineRuntime::wait_finished(std::chrono::milliseconds limit) {
  return state_->wait_until(Clock::now() + limit, [&] {
    bool finished = false;
    state_->for_each_door(
        [&](Member& member) { finished = finished || member.door->is_finished(); });
    return finished && state_->in_flight() == 0;
  });
}

void PipelineRuntime::refuse_new() {
  state_->refuse_new();
}

Result<void> PipelineRuntime::close(std::chrono::milliseconds limit) {
  State& s = *state_;
  if (s.closed) return {};
  s.closed = true;
  s.drain(limit, drain_ended_);
  // Doors first: their threads call the sinks.
  s.for_each_door([](Member& member) { member.host->stop(); });
  if (!s.stop_actors()) {
    // An actor that is stuck in its plugin still uses all of this; to free it would be worse than
    // to keep it.
    static_cast<void>(state_.release());
    state_ = std::make_unique<State>(pipeline::PipelineSpec{}, Options{});
    state_->closed = true;
    return fail(ErrorCode::internal,
                "an operator's code did not return; its actors were left behind");
  }
  for (auto& loop : s.loops)
    loop->stop();
  for (auto& member : s.members)
    member.host->stop();
  s.members.clear();
  s.system.reset();
  s.loops.clear();
  return {};
}

Value PipelineRuntime::stats() {
  Value::Array all;
  caf::scoped_actor self{*state_->system};
  // All are asked before the first answers: those of a token loop answer between its steps, and one
  // that does not costs two seconds once.
  const auto ask = [&](const caf::actor& actor) {
    return self->request(actor, std::chrono::seconds(2), StatsMessage{});
  };
  std::vector<decltype(ask(caf::actor{}))> replies;
  for (const auto& member : state_->members)
    if (member.actor) replies.push_back(ask(member.actor));
  for (auto& reply : replies)
    reply.receive([&](const StatsReply& answer) { all.push_back(answer.stats); },
                  [](const caf::error&) {});
  return all;
}

}  // namespace troupe::actors
