#include "troupe/actors/assembly.h"

#include "troupe/actors/executor_shell.h"
#include "troupe/actors/ingress_shell.h"
#include "troupe/actors/kv_cache_shell.h"
#include "troupe/actors/router_shell.h"
#include "troupe/actors/routes.h"
#include "troupe/actors/sampler_shell.h"
#include "troupe/actors/scheduler_shell.h"
#include "troupe/actors/stage_shell.h"
#include "troupe/actors/tokenizer_shell.h"

#include <algorithm>

namespace troupe::actors {
namespace {

using pipeline::PipelineOperator;
using pipeline::PipelineSpec;
using LoopInfo = std::shared_ptr<std::optional<ExecutorInfo>>;

/// Creates, configures and starts one operator; an executor leaves its info for the others of its
/// loop.
OperatorHost::Build make_build(const PipelineOperator& op, const Catalog& catalog,
                               std::shared_ptr<ModelStore> models, LoopInfo info) {
  return [op, &catalog, models = std::move(models),
          info = std::move(info)]() -> Result<std::shared_ptr<Operator>> {
    auto object = catalog.create(op.kind, op.plugin);
    if (!object) return object;
    if (auto configured = (*object)->configure(op.params); !configured)
      return fail(configured.error());
    OperatorResources resources(models, info);
    if (auto started = (*object)->start(resources); !started) return fail(started.error());
    if (op.kind == OperatorKind::executor && info) *info = dynamic_cast<Executor&>(**object).info();
    return object;
  };
}

/// Executors find out what caches and schedulers need to know; doors let work in, so they come
/// last.
int start_rank(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::executor:
      return 0;
    case OperatorKind::kv_cache:
      return 1;
    case OperatorKind::ingress:
      return 3;
    default:
      return 2;
  }
}

caf::actor spawn_shell(caf::actor_system& system, OperatorKind kind, ShellSetup setup,
                       std::shared_ptr<Door> door) {
  switch (kind) {
    case OperatorKind::ingress:
      return system.spawn<IngressShell>(std::move(setup), std::move(door));
    case OperatorKind::stage:
      return system.spawn<StageShell>(std::move(setup));
    case OperatorKind::tokenizer:
      return system.spawn<TokenizerShell>(std::move(setup));
    case OperatorKind::scheduler:
      return system.spawn<SchedulerShell>(std::move(setup));
    case OperatorKind::kv_cache:
      return system.spawn<KvCacheShell>(std::move(setup));
    case OperatorKind::executor:
      return system.spawn<ExecutorShell>(std::move(setup));
    case OperatorKind::sampler:
      return system.spawn<SamplerShell>(std::move(setup));
    case OperatorKind::router:
      return system.spawn<RouterShell>(std::move(setup));
    case OperatorKind::drafter:
    case OperatorKind::communicator:
      break;
  }
  check_failed("this kind of operator has no shell", __FILE__, __LINE__);
}

Inlet inlet_of(const PipelineSpec& spec, const std::vector<Member>& members, std::size_t op) {
  return {spec.operators[op].name, members[op].actor, members[op].requests, members[op].events};
}

std::shared_ptr<Outlets> outlets_of(const PipelineSpec& spec, const std::vector<Member>& members,
                                    std::size_t op) {
  auto outlets = std::make_shared<Outlets>();
  for (const auto target : request_targets(spec, op)) {
    outlets->requests.push_back(inlet_of(spec, members, target));
    if (members[target].encoder) outlets->requests.back().actor = members[target].encoder;
  }
  for (const auto& [door, next] : event_routes(spec, op))
    outlets->events.emplace(door, inlet_of(spec, members, next));
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].door) outlets->doors.emplace(i, inlet_of(spec, members, i));
  for (const auto& loop : spec.loops)
    if (op == loop.scheduler || op == loop.kv_cache || op == loop.executor || op == loop.sampler) {
      outlets->scheduler = inlet_of(spec, members, loop.scheduler);
      outlets->kv_cache = inlet_of(spec, members, loop.kv_cache);
      outlets->executor = inlet_of(spec, members, loop.executor);
      outlets->sampler = inlet_of(spec, members, loop.sampler);
    }
  return outlets;
}

}  // namespace

std::vector<Member> make_members(const PipelineSpec& spec, const Catalog& catalog,
                                 const DoorHooks& hooks) {
  auto models = std::make_shared<ModelStore>(spec.models);
  auto next_id = std::make_shared<std::atomic<std::uint64_t>>(0);
  std::vector<LoopInfo> infos(spec.operators.size());
  for (const auto& loop : spec.loops) {
    auto info = std::make_shared<std::optional<ExecutorInfo>>();
    for (const auto op : {loop.scheduler, loop.kv_cache, loop.executor, loop.sampler})
      infos[op] = info;
  }
  std::vector<Member> members(spec.operators.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& op = spec.operators[i];
    members[i].host = std::make_shared<OperatorHost>(op.name, op.restart,
                                                     make_build(op, catalog, models, infos[i]));
    members[i].requests = std::make_shared<MailboxGauge>(op.mailbox);
    members[i].events = std::make_shared<MailboxGauge>(op.mailbox);
    if (op.kind == OperatorKind::ingress)
      members[i].door =
          std::make_shared<Door>(static_cast<std::uint32_t>(i), op.name, next_id, hooks);
  }
  return members;
}

Result<void> start_members(const PipelineSpec& spec, std::vector<Member>& members,
                           const std::function<void(const std::string&)>& on_starting) {
  std::vector<std::size_t> order(members.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return start_rank(spec.operators[a].kind) < start_rank(spec.operators[b].kind);
  });
  for (const auto i : order) {
    if (on_starting) on_starting(spec.operators[i].name);
    if (auto started = members[i].host->start(); !started) return started;
  }
  return {};
}

void spawn_members(caf::actor_system& system, const PipelineSpec& spec,
                   std::vector<Member>& members) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ShellSetup setup{members[i].host, members[i].requests, members[i].events,
                           members[i].loop};
    members[i].actor = spawn_shell(system, spec.operators[i].kind, setup, members[i].door);
    if (spec.operators[i].kind == OperatorKind::tokenizer)
      members[i].encoder = system.spawn<EncoderShell>(setup);
  }
}

void connect_members(const PipelineSpec& spec, std::vector<Member>& members,
                     const caf::actor& supervisor) {
  std::vector<caf::actor> schedulers;
  for (const auto& loop : spec.loops)
    schedulers.push_back(members[loop.scheduler].actor);
  for (std::size_t i = 0; i < members.size(); ++i) {
    auto outlets = outlets_of(spec, members, i);
    outlets->supervisor = supervisor;
    outlets->schedulers = schedulers;
    if (members[i].door)
      members[i].door->connect(inlet_of(spec, members, i), outlets->requests.front(), schedulers);
    if (members[i].encoder) caf::anon_send(members[i].encoder, ConnectMessage{outlets});
    caf::anon_send(members[i].actor, ConnectMessage{std::move(outlets)});
  }
}

caf::actor supervise_members(caf::actor_system& system, const PipelineSpec& spec,
                             const std::vector<Member>& members, Supervisor::OnFailure on_failure) {
  std::map<caf::actor_addr, std::string> names;
  for (std::size_t i = 0; i < members.size(); ++i)
    for (const auto& actor : {members[i].actor, members[i].encoder})
      if (actor) names.emplace(actor.address(), spec.operators[i].name);
  return system.spawn<Supervisor>(std::move(names), std::move(on_failure));
}

Result<void> open_doors(std::vector<Member>& members) {
  for (auto& member : members) {
    if (!member.door) continue;
    auto opened = guarded([&] { return member.host->as<Ingress>().open(*member.door); });
    if (!opened) return fail_at(member.host->name(), opened.error());
    if (!*opened) return fail_at(member.host->name(), opened->error());
  }
  return {};
}

void fail_doors(std::vector<Member>& members, const Error& error) {
  for (auto& member : members) {
    if (!member.door) continue;
    member.door->refuse_new(error);
    member.door->fail_all(error);
  }
}

void exit_now(const caf::actor& actor, caf::exit_reason reason) {
  actor->enqueue(nullptr, caf::make_message_id(caf::message_priority::high),
                 caf::make_message(caf::exit_msg{actor.address(), reason}), nullptr);
}

}  // namespace troupe::actors
