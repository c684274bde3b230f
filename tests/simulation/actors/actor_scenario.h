#pragma once
#include "fault.h"
#include "random_loop.h"
#include "troupe/api/executor_info.h"
#include "troupe/api/tokenizer.h"
#include "troupe/pipeline/pipeline_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::simulation {

/// One request and when it is sent.
struct ActorArrival {
  TokenizedRequestPtr request;  // as the tokenizer is to make it
  bool as_text = false;         // its prompt is sent as text
  int turn = 0;
};

/// Everything that happens in one run of the actors, or how often it happens; a function of the
/// seed.
struct ActorScenario {
  std::uint64_t seed = 0;
  ExecutorInfo executor;
  RandomScheduler scheduler;
  std::int64_t mailbox = 0;
  pipeline::RestartSpec restart;
  std::vector<ActorArrival> arrivals;
  PerFault rates;  // in a thousand occasions
  int fault_turns = 0;
  int cancel_rate = 0;     // of ten thousand turns
  int late_turns = 0;      // how long a late outcome takes, about
  int num_retries = 0;     // requests that failed and are sent again, at once
  int shutdown_turn = -1;  // -1 = never
  int death_turn = -1;     // of one of the actors
  std::string dies;        // its operator
};

ActorScenario make_actor_scenario(std::uint64_t seed);

}  // namespace troupe::simulation
