#pragma once
#include "random_loop.h"
#include "troupe/api/executor_info.h"
#include "troupe/api/tokenizer.h"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace troupe::simulation {

/// Tokens at the beginning of a prompt that make trouble.
inline constexpr TokenId kBreaksSteps = 1;  // every step that computes it fails
inline constexpr TokenId kBreaksRows = 2;   // its own logits are never finite

/// One request and what will happen to it.
struct Arrival {
  TokenizedRequestPtr request;
  int turn = 0;          // when it arrives
  int cancel_turn = -1;  // when its client goes away; -1 = never
};

/// How often, in a thousand turns, something breaks.
struct Faults {
  int step_error = 0;     // a step of several sequences fails
  int swap_fails = 0;     // a block that moves between tiers; of a thousand blocks
  int executor_lost = 0;  // the executor dies, in a step or between two
  int hand_over = 0;      // the scheduler is replaced by another one through its journal
};

/// Everything that happens in one run; a function of the seed.
struct Scenario {
  std::uint64_t seed = 0;
  ExecutorInfo executor;
  RandomScheduler scheduler;
  std::vector<Arrival> arrivals;
  Faults faults;
};

Scenario make_scenario(std::uint64_t seed);

}  // namespace troupe::simulation
