#pragma once
#include "scenario.h"
#include "troupe/api/event.h"
#include "troupe/api/result.h"
#include "troupe/plugin/registry.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace troupe::simulation {

/// What a run did, added up over runs to see that every kind of thing happened.
struct Counts {
  std::int64_t steps = 0;
  std::int64_t tokens = 0;
  std::int64_t preemptions = 0;
  std::int64_t step_errors = 0;
  std::int64_t executor_losses = 0;
  std::int64_t swaps = 0;  // blocks
  std::int64_t swap_failures = 0;
  std::int64_t hand_overs = 0;
  std::map<std::string, std::int64_t> ends;  // by finish reason or error code

  void add(const Counts& other);
};

/// Runs a scenario to its end and compares everything with what must be.
/// Errors: internal, with what was wrong and in which turn.
Result<Counts> run(const Scenario& scenario, const Registry& registry,
                   std::vector<TokenEvent>* events = nullptr);

}  // namespace troupe::simulation
