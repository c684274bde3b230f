#pragma once
#include "troupe/actors/door.h"
#include "troupe/actors/model_store.h"
#include "troupe/actors/pipeline_runtime.h"
#include "troupe/actors/shell.h"
#include "troupe/actors/supervisor.h"

#include <caf/all.hpp>

#include <memory>
#include <vector>

namespace troupe::actors {

/// One operator on its way to being an actor.
struct Member {
  std::shared_ptr<OperatorHost> host;
  std::shared_ptr<MailboxGauge> requests;
  std::shared_ptr<MailboxGauge> events;
  std::shared_ptr<Door> door;  // of an ingress
  StepLoop* loop = nullptr;    // of the operators of a token loop
  caf::actor actor;
  caf::actor encoder;  // of a tokenizer: its second actor
};

/// How each operator of `spec` is built: with its resources, in the order of the spec.
std::vector<Member> make_members(const pipeline::PipelineSpec& spec, const Catalog& catalog,
                                 const DoorHooks& hooks);

/// Starts the objects: executors, then caches, then the rest, doors last.
Result<void> start_members(const pipeline::PipelineSpec& spec, std::vector<Member>& members,
                           const std::function<void(const std::string&)>& on_starting);

/// Makes each member an actor.
void spawn_members(caf::actor_system& system, const pipeline::PipelineSpec& spec,
                   std::vector<Member>& members);

/// Tells each actor where its messages go, and each door where its requests go.
void connect_members(const pipeline::PipelineSpec& spec, std::vector<Member>& members,
                     const caf::actor& supervisor);

/// Spawns the actor that learns of every member that cannot go on.
caf::actor supervise_members(caf::actor_system& system, const pipeline::PipelineSpec& spec,
                             const std::vector<Member>& members, Supervisor::OnFailure on_failure);

/// Opens every door, once all members are connected. Errors: the first door's that does not open.
Result<void> open_doors(std::vector<Member>& members);

/// A member's actor died, which is a fault of ours: what it held is lost and nothing can pass it
/// any more. Every request under way ends with `error`, and so does every new one.
void fail_doors(std::vector<Member>& members, const Error& error);

/// Ends an actor before it handles what waits in its mailbox; CAF's own exit messages would wait
/// behind all of it.
void exit_now(const caf::actor& actor, caf::exit_reason reason = caf::exit_reason::user_shutdown);

}  // namespace troupe::actors
