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

}  // namespace troupe::actors
