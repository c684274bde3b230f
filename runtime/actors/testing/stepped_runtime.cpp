#include "troupe/actors/testing/stepped_runtime.h"

#include "troupe/actors/assembly.h"

#include <caf/scheduler/test_coordinator.hpp>

#include <map>

namespace troupe::actors {
namespace {

struct SystemConfig : caf::actor_system_config {
  SystemConfig() { set("scheduler.policy", caf::atom("testing")); }
};

}  // namespace

struct SteppedRuntime::State {
  explicit State(const pipeline::PipelineSpec& pipeline)
      : spec(pipeline),
        system(config),
        coordinator(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())) {}

  Result<void> start(const Catalog& catalog, OnFailure on_failure);
  void stop();
  void remember(const caf::actor& actor, const std::string& name) {
    if (actor) names[actor.id()] = name;
  }
  Member* find(const std::string& name) {
    for (std::size_t i = 0; i < members.size(); ++i)
      if (spec.operators[i].name == name) return &members[i];
    return nullptr;
  }
  template <class Function>
  void for_each_door(const Function& function) {
    for (auto& member : members)
      if (member.door) function(*member.door);
  }

  const pipeline::PipelineSpec spec;
  SystemConfig config;  // must outlive the system
  caf::actor_system system;
  caf::scheduler::test_coordinator& coordinator;
  std::vector<Member> members;
  caf::actor supervisor;
  std::map<caf::actor_id, std::string> names;
  const std::string library = "caf";
};

Result<void> SteppedRuntime::State::start(const Catalog& catalog, OnFailure on_failure) {
  DoorHooks hooks;
  hooks.now = [this] { return coordinator.clock().now(); };
  members = make_members(spec, catalog, hooks);
  if (auto started = start_members(spec, members, {}); !started) return started;
  spawn_members(system, spec, members);
  supervisor = supervise_members(
      system, spec, members,
      [this, on_failure](const std::string& name, const Error& error, bool shell_died) {
        if (shell_died) fail_doors(members, error);
        if (on_failure) on_failure(name, error);
      });
  for (std::size_t i = 0; i < members.size(); ++i)
    for (const auto& actor : {members[i].actor, members[i].encoder})
      remember(actor, spec.operators[i].name);
  remember(supervisor, "supervisor");
  connect_members(spec, members, supervisor);
  return open_doors(members);
}

void SteppedRuntime::State::stop() {
  for (auto& member : members) {
    if (member.door) member.door->disconnect();
    if (member.door) member.host->stop();
    for (auto* actor : {&member.actor, &member.encoder}) {
      if (*actor) exit_now(*actor);
      *actor = nullptr;
    }
  }
  if (supervisor) exit_now(supervisor);
  supervisor = nullptr;
  coordinator.clock().cancel_all();
  while (coordinator.try_run_once()) {
  }
  coordinator.clock().cancel_all();
  for (auto& member : members)
    member.host->stop();
  members.clear();
}

SteppedRuntime::SteppedRuntime(std::unique_ptr<State> state) : state_(std::move(state)) {}

SteppedRuntime::~SteppedRuntime() {
  state_->stop();
}

Result<std::unique_ptr<SteppedRuntime>> SteppedRuntime::start(const pipeline::PipelineSpec& spec,
                                                              const Catalog& catalog,
                                                              OnFailure on_failure) {
  std::unique_ptr<SteppedRuntime> runtime(new SteppedRuntime(std::make_unique<State>(spec)));
  if (auto started = runtime->state_->start(catalog, std::move(on_failure)); !started)
    return fail(started.error());
  return runtime;
}

std::size_t SteppedRuntime::num_ready() const {
  return state_->coordinator.jobs.size();
}

const std::string& SteppedRuntime::ready(std::size_t i) const {
  const auto* actor = dynamic_cast<const caf::abstract_actor*>(state_->coordinator.jobs.at(i));
  if (!actor) return state_->library;
  const auto found = state_->names.find(actor->id());
  return found == state_->names.end() ? state_->library : found->second;
}

void SteppedRuntime::run(std::size_t i) {
  auto& jobs = state_->coordinator.jobs;
  TROUPE_CHECK(i < jobs.size());
  const auto at = jobs.begin() + static_cast<std::ptrdiff_t>(i);
  std::rotate(jobs.begin(), at, at + 1);
  state_->coordinator.run_once();
}

Time SteppedRuntime::now() const {
  return state_->coordinator.clock().now();
}

std::optional<Time> SteppedRuntime::next_timer() const {
  const auto& schedule = state_->coordinator.clock().schedule();
  if (schedule.empty()) return std::nullopt;
  return schedule.begin()->first;
}

void SteppedRuntime::advance(Time::duration by) {
  state_->coordinator.advance_time(by);
}

std::shared_ptr<EmbedDoor> SteppedRuntime::door() {
  for (auto& member : state_->members)
    if (member.door)
      if (auto door = member.host->share<EmbedDoor>()) return door;
  check_failed("the pipeline has no door for the hosting program", __FILE__, __LINE__);
}

std::size_t SteppedRuntime::in_flight() const {
  std::size_t count = 0;
  state_->for_each_door([&](Door& door) { count += door.in_flight(); });
  return count;
}

void SteppedRuntime::refuse_new(const Error& error) {
  state_->for_each_door([&](Door& door) { door.refuse_new(error); });
}

void SteppedRuntime::cancel_all() {
  state_->for_each_door([](Door& door) { door.cancel_all(); });
}

void SteppedRuntime::fail_all(const Error& error) {
  state_->for_each_door([&](Door& door) { door.fail_all(error); });
}

void SteppedRuntime::kill(const std::string& operator_name) {
  auto* member = state_->find(operator_name);
  TROUPE_CHECK(member != nullptr);
  for (const auto& actor : {member->actor, member->encoder})
    if (actor) exit_now(actor, caf::exit_reason::unhandled_exception);
}

bool SteppedRuntime::events_full(const std::string& operator_name) const {
  const auto* member = state_->find(operator_name);
  TROUPE_CHECK(member != nullptr);
  return member->events->is_full();
}

std::int64_t SteppedRuntime::waiting_messages() const {
  std::int64_t count = 0;
  for (const auto& member : state_->members)
    count += member.requests->depth() + member.events->depth();
  return count;
}

std::optional<Value> SteppedRuntime::stats(const std::string& operator_name) {
  auto* member = state_->find(operator_name);
  TROUPE_CHECK(member != nullptr);
  caf::scoped_actor self{state_->system};
  std::optional<Value> stats;
  auto answer = self->request(member->actor, caf::infinite, StatsMessage{});
  while (state_->coordinator.try_run_once()) {
  }
  answer.receive([&](const StatsReply& reply) { stats = reply.stats; }, [](const caf::error&) {});
  return stats;
}

}  // namespace troupe::actors
