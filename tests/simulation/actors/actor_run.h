#pragma once
#include "actor_scenario.h"
#include "simulated_pipeline.h"
#include "troupe/api/result.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

namespace troupe::simulation {

/// What runs did, added up.
struct Outcome {
  std::int64_t turns = 0;
  std::int64_t tokens = 0;
  PerFault faults;
  std::map<std::string, std::int64_t> ends;  // of requests, by finish reason or error code
  std::uint64_t trace = 0;                   // fingerprint of everything that happened, of one run

  void add(const Outcome& other);
};

/// Runs a scenario to its end and compares everything with what must be. What happens is written to
/// `log`, a line each. Errors: internal, with the seed, the turn and what was wrong.
Result<Outcome> run(const ActorScenario& scenario, const SimulatedPipeline& pipeline,
                    std::ostream* log = nullptr);

}  // namespace troupe::simulation
