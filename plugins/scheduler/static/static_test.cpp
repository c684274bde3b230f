#include "troupe/testing/conformance.h"
#include "troupe/testing/scheduler_rig.h"

TROUPE_CONFORMANCE()

namespace troupe::testing {
namespace {

using Segments = std::vector<std::pair<int, int>>;

TEST(WholeBatches, NobodyJoinsABatchThatRuns) {
  Rig rig;
  rig.admit(1, 5, 2);
  rig.admit(2, 5, 6);
  rig.turn();
  rig.admit(3, 5, 2);
  for (int i = 0; i < 5; ++i) {
    rig.turn();
    EXPECT_TRUE(rig.events_of(3).empty()) << i;
  }
  EXPECT_TRUE(rig.end_of(2).last);
  rig.turn();
  EXPECT_EQ(rig.segments(), (Segments{{0, 5}}));
  rig.run();
  EXPECT_EQ(rig.tokens_of(3), alone(3, 5, 2));
}

TEST(WholeBatches, ABatchIsFilledOverAsManyStepsAsItsPromptsNeed) {
  Rig rig({{"max_batch_tokens", 16}, {"max_num_seqs", 3}, {"adapt_prefill", false}});
  for (std::uint64_t id = 1; id <= 5; ++id)
    rig.admit(id, 16, 30);
  for (int i = 0; i < 5; ++i)
    rig.turn();
  EXPECT_EQ(rig.scheduler->stats().running, 3);
  EXPECT_EQ(rig.scheduler->stats().waiting, 2);
  rig.run();
  for (std::uint64_t id = 1; id <= 5; ++id)
    EXPECT_EQ(rig.tokens_of(id), alone(id, 16, 30));
}

TEST(WholeBatches, AMemberThatEndsEarlyLeavesItsSeatEmpty) {
  Rig rig({{"max_num_seqs", 2}});
  rig.admit(1, 5, 1);
  rig.admit(2, 5, 9);
  rig.admit(3, 5, 1);  // there from the start, but the batch was full
  rig.turn();
  rig.turn();
  EXPECT_TRUE(rig.end_of(1).last);
  EXPECT_EQ(rig.segments(), (Segments{{5, 1}}));
  EXPECT_TRUE(rig.events_of(3).empty());
  rig.run();
  EXPECT_EQ(rig.tokens_of(3), alone(3, 5, 1));
}

TEST(WholeBatches, AMemberThatWasStoppedComesBack) {
  Rig rig({}, Rig::executor_of(6));
  rig.admit(1, 30, 50);
  rig.admit(2, 30, 50);
  while (rig.scheduler->stats().preemptions == 0)
    rig.turn();
  rig.admit(3, 5, 1);
  while (rig.events_of(1).empty() || !rig.events_of(1).back().last) {
    rig.turn();
    EXPECT_TRUE(rig.events_of(3).empty());
  }
  rig.run();
  for (std::uint64_t id = 1; id <= 2; ++id)
    EXPECT_EQ(rig.tokens_of(id), alone(id, 30, 50));
}

TEST(WholeBatches, AllChoicesOfARequestAreOfOneBatch) {
  Rig rig({{"max_num_seqs", 4}});
  auto draft = rig.draft(1, 20);
  draft->n = 3;
  draft->stop.max_tokens = 5;
  rig.admit(draft);
  rig.run();
  for (std::int32_t choice = 0; choice < 3; ++choice)
    EXPECT_EQ(rig.tokens_of(1, choice), alone(1, 20, 5));
}

}  // namespace
}  // namespace troupe::testing
