#include "test_rig.h"
#include "troupe/testing/cache_model.h"

namespace troupe::paged {
namespace {

/// So many random turns of so many seeds; any content that is not the truth fails.
void run(RigSetup setup, unsigned num_seeds, bool failing_steps = false) {
  for (unsigned seed = 0; seed < num_seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rig rig(setup);
    testing::CacheModel model(
        rig.cache,
        {.sliding_window = setup.sliding_window, .failing_steps = failing_steps, .seed = seed});
    for (int turn = 0; turn < 250 && !::testing::Test::HasFailure(); ++turn)
      model.turn();
    model.finish();
  }
}

RigSetup setup() {
  return {.num_blocks = 24, .num_host_slots = 6, .num_file_slots = 6};
}

TEST(RandomTurns, EveryGrantedPositionHasTheTrueContent) {
  run(setup(), 40);
}

TEST(RandomTurns, WithoutPrefixCache) {
  auto without = setup();
  without.prefix_cache = false;
  run(without, 40);
}

TEST(RandomTurns, InATinyPool) {
  run({.num_blocks = 6, .num_host_slots = 2, .num_file_slots = 2}, 40);
}

TEST(RandomTurns, WithASlidingWindow) {
  auto window = setup();
  window.sliding_window = 24;
  run(window, 40);
  run({.num_blocks = 10, .prefix_cache = false, .num_host_slots = 6, .sliding_window = 40}, 40);
}

TEST(RandomTurns, WithStepsThatFail) {
  run(setup(), 40, true);
  run({.num_blocks = 10, .num_host_slots = 6, .sliding_window = 24}, 40, true);
}

// D35
TEST(RandomTurns, WhenAllHashesAreEqual) {
  auto equal = setup();
  equal.hash = [](auto) { return Hash128{}; };
  run(equal, 40);
}

// The random runs above must exercise what they are there for.
TEST(RandomTurns, DoAllThatTheCacheCan) {
  Rig rig({.num_blocks = 16, .num_host_slots = 6, .num_file_slots = 6});
  testing::CacheModel model(rig.cache, {.failing_steps = true});
  for (int turn = 0; turn < 3000; ++turn)
    model.turn();
  const auto stats = rig.cache.stats();
  EXPECT_GT(stats.hits, 100);
  EXPECT_GT(stats.evictions, 100);
  EXPECT_GT(stats.copied_blocks, 100);
  EXPECT_GT(stats.swapped_out_blocks, 100);
  EXPECT_GT(stats.swapped_in_blocks, 20);
  EXPECT_GT(model.num_forked_tokens(), 100);
  EXPECT_GT(model.num_short(), 100);
}

}  // namespace
}  // namespace troupe::paged
