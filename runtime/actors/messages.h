#pragma once
#include "troupe/api/blocks.h"
#include "troupe/api/event.h"
#include "troupe/api/sampler.h"
#include "troupe/api/tokenizer.h"

#include <caf/all.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// The buffers of one step. They travel around the token loop by pointer, from the scheduler to the
/// cache and back, to the executor, the sampler and home, and serve the next step again: the steady
/// state of the loop allocates nothing. Only the actor that has received the step last touches it.
struct StepState {
  BlockRequest blocks;
  BlockGrant grant;
  StepPlan plan;
  const StepResult* result = nullptr;  // the executor's, valid until its next submit
  SampledTokens sampled;
  /// Set by the scheduler when it gave the step up: what the plan points to may be gone.
  std::atomic<bool> abandoned{false};
};
using StepStatePtr = std::shared_ptr<StepState>;

// Each message is a type of its own, so that a wire that is wrong does not compile or is refused by
// name.

// Along the request path.
struct RequestMessage {
  std::shared_ptr<Request> request;
};
struct TokenizedMessage {
  TokenizedRequestPtr request;
};
struct CancelMessage {
  RequestId request;
};

/// All events of one turn, towards the doors. One message, however many sequences ran.
struct EventsMessage {
  std::shared_ptr<std::vector<TokenEvent>> events;
};

// Around the token loop.
struct ReserveMessage {
  StepStatePtr step;
};  // scheduler -> kv_cache
struct GrantMessage {
  StepStatePtr step;
};  // kv_cache -> scheduler
struct PlanMessage {
  StepStatePtr step;
};  // scheduler -> executor
struct LogitsMessage {
  StepStatePtr step;
};  // executor -> sampler
struct SampledMessage {
  StepStatePtr step;
};  // sampler -> scheduler

/// To an executor from its accelerator: the step is done.
struct ExecutorDoneMessage {
  StepStatePtr step;
};

/// An operator of the loop lost its memory and was rebuilt, or cannot be (then `gone` says why).
struct LoopLostMessage {
  std::optional<Error> gone;
};
/// Scheduler -> kv_cache: forget everything.
struct ResetMessage {};

struct TickMessage {};
struct StatsMessage {};
/// Answers StatsMessage.
struct StatsReply {
  Value stats;
};

/// To the supervisor: an operator cannot go on and its restart budget is spent.
struct EscalateMessage {
  std::string operator_name;
  Error error;
};

}  // namespace troupe::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::RequestMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::TokenizedMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::CancelMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::EventsMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::ReserveMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::GrantMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::PlanMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::LogitsMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::SampledMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::ExecutorDoneMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::LoopLostMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::ResetMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::TickMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::StatsMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::StatsReply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::EscalateMessage)
