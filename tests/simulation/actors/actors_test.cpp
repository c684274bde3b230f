#include "actor_run.h"
#include "troupe/plugin/registry.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::simulation {
namespace {

const SimulatedPipeline& the_pipeline() {
  static const Registry registry(
      {.folders = {std::string(TROUPE_BINARY_DIR) + "/lib/troupe/plugins"}});
  static const SimulatedPipeline pipeline(registry);
  return pipeline;
}

/// So many seeds per test that several may run side by side.
constexpr std::uint64_t kSeedsPerPart = 500;

class SimulatedActors : public ::testing::TestWithParam<int> {};

// A failure names its seed; `tools/simulate --seed` replays it.
TEST_P(SimulatedActors, GiveEachRequestItsTokensAndOneEndWhateverHappens) {
  const auto first = static_cast<std::uint64_t>(GetParam()) * kSeedsPerPart + 1;
  Outcome all;
  for (std::uint64_t seed = first; seed < first + kSeedsPerPart; ++seed) {
    const auto outcome = run(make_actor_scenario(seed), the_pipeline());
    ASSERT_TRUE(outcome) << outcome.error().message();
    all.add(*outcome);
  }
  for (std::size_t i = 0; i < kNumFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    if (fault == Fault::swap_out_fails || fault == Fault::swap_in_fails) continue;
    EXPECT_GT(all.faults[fault], 0) << kFaultNames[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Part, SimulatedActors, ::testing::Range(0, 4));

TEST(SimulatedActor, RunsAreReplayedExactlyByTheirSeeds) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto scenario = make_actor_scenario(seed);
    const auto first = run(scenario, the_pipeline());
    ASSERT_TRUE(first) << first.error().message();
    for (int again = 1; again < 10; ++again)
      EXPECT_EQ(run(make_actor_scenario(seed), the_pipeline())->trace, first->trace) << seed;
  }
}

TEST(SimulatedActor, RunsOfOtherSeedsDiffer) {
  EXPECT_NE(run(make_actor_scenario(1), the_pipeline())->trace,
            run(make_actor_scenario(2), the_pipeline())->trace);
}

}  // namespace
}  // namespace troupe::simulation
