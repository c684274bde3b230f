#include "simulation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace troupe::simulation {
namespace {

Registry::Options plugin_folders() {
  return {.folders = {std::string(TROUPE_BINARY_DIR) + "/lib/troupe/plugins"}};
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A failure names its seed; TROUPE_SIMULATION_FIRST=that and TROUPE_SIMULATION_SEEDS=1 replays it.
TEST(Simulation, EveryRequestGetsTheTokensItWouldGetAloneWhateverHappens) {
  const Registry registry(plugin_folders());
  const auto first = from_environment("TROUPE_SIMULATION_FIRST", 1);
  const auto count = from_environment("TROUPE_SIMULATION_SEEDS", 2000);
  Counts all;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto counts = run(make_scenario(seed), registry);
    ASSERT_TRUE(counts) << counts.error().message();
    all.add(*counts);
  }
  RecordProperty("steps", std::to_string(all.steps));
  RecordProperty("tokens", std::to_string(all.tokens));
  RecordProperty("preemptions", std::to_string(all.preemptions));
  if (count < 2000) return;
  // The traffic is such that everything happens.
  EXPECT_GT(all.preemptions, 500);
  EXPECT_GT(all.step_errors, 200);
  EXPECT_GT(all.executor_losses, 200);
  EXPECT_GT(all.hand_overs, 200);
  for (const char* reason : {"stop", "length", "cancelled", "deadline", "device",
                             "invalid_argument", "resource_exhausted"})
    EXPECT_GT(all.ends[reason], 50) << reason;
}

TEST(Simulation, ARunIsAFunctionOfItsSeed) {
  const Registry registry(plugin_folders());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<TokenEvent> first, again;
    ASSERT_TRUE(run(make_scenario(seed), registry, &first));
    ASSERT_TRUE(run(make_scenario(seed), registry, &again));
    ASSERT_EQ(first.size(), again.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].context->id, again[i].context->id);
      EXPECT_EQ(first[i].number, again[i].number);
      EXPECT_EQ(first[i].token_ids, again[i].token_ids);
      EXPECT_EQ(first[i].finish, again[i].finish);
    }
  }
}

}  // namespace
}  // namespace troupe::simulation
