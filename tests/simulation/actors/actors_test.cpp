#include "actor_run.h"
#include "troupe/plugin/registry.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

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

/// The name of a kind that did not happen; empty = all did.
std::string_view missing(const PerFault& counts) {
  for (std::size_t i = 0; i < kNumFaults; ++i)
    if (counts[static_cast<Fault>(i)] == 0) return kFaultNames[i];
  return {};
}

class SimulatedActors : public ::testing::TestWithParam<int> {};

// A failure names its seed; `tools/simulate --seed` replays it.
TEST_P(SimulatedActors, GiveEachRequestItsTokensAndOneEndWhateverHappens) {
  const auto first = static_cast<std::uint64_t>(GetParam()) * kSeedsPerPart + 1;
  for (std::uint64_t seed = first; seed < first + kSeedsPerPart; ++seed) {
    const auto outcome = run(make_actor_scenario(seed), the_pipeline());
    ASSERT_TRUE(outcome) << outcome.error().message();
  }
}

INSTANTIATE_TEST_SUITE_P(Part, SimulatedActors, ::testing::Range(0, 4));

TEST(SimulatedActor, RunsHaveEveryKindOfFault) {
  PerFault counts;
  for (std::uint64_t seed = 1; seed <= 4 * kSeedsPerPart && !missing(counts).empty(); ++seed)
    if (const auto outcome = run(make_actor_scenario(seed), the_pipeline()))
      counts.add(outcome->faults);
  EXPECT_EQ(missing(counts), "");
}

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
