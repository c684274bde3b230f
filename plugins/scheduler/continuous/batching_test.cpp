#include "test_rig.h"

namespace troupe::continuous {
namespace {

using Segments = std::vector<std::pair<int, int>>;

TEST(Batching, DecodesFirstAndPutsChunksOfPromptsIntoWhatIsLeft) {
  Rig rig({{"max_batch_tokens", 10}, {"prefill_chunk", 6}});
  rig.admit(1, 4, 20);
  rig.turn();
  EXPECT_EQ(rig.segments(), (Segments{{0, 4}}));
  rig.admit(2, 14, 20);
  rig.admit(3, 9, 20);
  rig.turn();  // 1 decodes, 2 gets its chunk, 3 the rest
  EXPECT_EQ(rig.segments(), (Segments{{4, 1}, {0, 6}, {0, 3}}));
  rig.turn();
  EXPECT_EQ(rig.segments(), (Segments{{5, 1}, {6, 6}, {3, 3}}));
  rig.turn();
  EXPECT_EQ(rig.segments(), (Segments{{6, 1}, {12, 2}, {6, 3}}));
  rig.turn();
  EXPECT_EQ(rig.segments(), (Segments{{7, 1}, {14, 1}, {9, 1}}));
}

TEST(Batching, OnlyTheLastChunkOfAPromptWantsARow) {
  Rig rig({{"prefill_chunk", 8}});
  rig.admit(1, 20, 2);
  rig.turn();
  EXPECT_EQ(rig.loop->plan().num_rows, 0u);
  EXPECT_TRUE(rig.loop->plan().samples.empty());
  rig.turn();
  EXPECT_EQ(rig.loop->plan().segments[0].rows, RowsWanted::none);
  rig.turn();
  EXPECT_EQ(rig.segments(), (Segments{{16, 4}}));
  EXPECT_EQ(rig.loop->plan().num_rows, 1u);
  EXPECT_EQ(rig.loop->plan().samples.at(0).position, 20);
  EXPECT_EQ(rig.loop->plan().samples.at(0).prompt_tokens, 20);
}

TEST(Batching, ASampleRowCarriesWhatTheSamplerNeeds) {
  Rig rig;
  auto draft = rig.draft(1, 3);
  draft->sampling.seed = 77;
  draft->stop.min_tokens = 1;
  draft->stop.max_tokens = 5;
  draft->stop.stop_token_ids = {9, 4};
  rig.admit(draft);
  rig.turn();
  const auto& first = rig.loop->plan().samples.at(0);
  EXPECT_EQ(first.params, &draft->sampling);
  EXPECT_EQ(first.seed, 77u);
  EXPECT_EQ(std::vector<TokenId>(first.banned.begin(), first.banned.end()),
            (std::vector<TokenId>{4, 9}));
  rig.turn();
  const auto& second = rig.loop->plan().samples.at(0);
  EXPECT_EQ(second.position, 4);
  EXPECT_EQ(second.history.size(), 4u);
  EXPECT_TRUE(second.banned.empty());
}

TEST(Batching, AsksForBlocksOnlyWhenATokenNeedsOne) {
  Rig rig;
  rig.admit(1, 15, 40);
  rig.turn();
  ASSERT_EQ(rig.loop->request().wants.size(), 1u);
  EXPECT_EQ(rig.loop->request().wants[0].num_tokens, 15);
  EXPECT_EQ(rig.loop->request().wants[0].token_ids.size(), 15u);
  rig.turn();  // position 15 is the last of the first block
  EXPECT_TRUE(rig.loop->request().wants.empty());
  rig.turn();
  ASSERT_EQ(rig.loop->request().wants.size(), 1u);
  EXPECT_EQ(rig.loop->request().wants[0].num_tokens, 17);
  EXPECT_TRUE(rig.loop->request().wants[0].token_ids.empty());
}

TEST(Batching, AdmissionAsksForTheWholePromptNotForAChunk) {
  Rig rig({{"prefill_chunk", 4}});
  rig.admit(1, 60, 1);
  rig.turn();
  EXPECT_EQ(rig.segments(), (Segments{{0, 4}}));
  EXPECT_EQ(rig.cache.stats().blocks_used, 4);
}

TEST(Batching, RunsInOrderOfArrivalAndNotMoreThanAllowed) {
  Rig rig({{"max_num_seqs", 2}});
  for (std::uint64_t id = 1; id <= 4; ++id)
    rig.admit(id, 5, id == 1 ? 2 : 4);
  rig.turn();
  EXPECT_EQ(rig.scheduler->stats().running, 2);
  EXPECT_EQ(rig.scheduler->stats().waiting, 2);
  rig.turn();  // 1 ends
  rig.turn();
  EXPECT_EQ(rig.segments(), (Segments{{6, 1}, {0, 5}}));
  rig.run();
  std::vector<std::uint64_t> ends;
  for (const auto& event : rig.events.events)
    if (event.last) ends.push_back(event.context->id.value);
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

// D30: a request that is too large now keeps its place before smaller ones behind it.
TEST(Batching, SmallRequestsDoNotOvertakeALargeOne) {
  Rig rig({}, Rig::executor_of(6));
  rig.admit(1, 40, 20);  // 3 blocks
  rig.turn();
  rig.admit(2, 60, 5);  // 4 blocks: not yet
  rig.admit(3, 5, 5);   // 1 block: there is room, but it came later
  rig.turn();
  EXPECT_EQ(rig.segments().size(), 1u);
  EXPECT_EQ(rig.scheduler->stats().waiting, 2);
  rig.run();
  EXPECT_EQ(rig.tokens_of(2), alone(2, 60, 5));
  EXPECT_EQ(rig.tokens_of(3), alone(3, 5, 5));
  EXPECT_EQ(rig.cache.stats().blocks_free, 6);
}

// D23: what else is in the batch, and in which slot, changes no token.
TEST(Batching, CompanyAndChunksChangeNoToken) {
  for (const std::int64_t chunk : {1, 3, 7, 512})
    for (const std::int64_t budget : {2, 9, 512}) {
      Rig rig({{"prefill_chunk", chunk}, {"max_batch_tokens", budget}});
      for (std::uint64_t id = 1; id <= 6; ++id)
        rig.admit(id, id * 7, 6);
      rig.run();
      for (std::uint64_t id = 1; id <= 6; ++id)
        EXPECT_EQ(rig.tokens_of(id), alone(id, id * 7, 6)) << id << " " << chunk << " " << budget;
    }
}

TEST(Batching, CountsItsStepsAndTokens) {
  Rig rig;
  rig.admit(1, 10, 3);
  rig.run();
  const auto stats = rig.scheduler->stats();
  EXPECT_EQ(stats.steps, 3);
  EXPECT_EQ(stats.scheduled_tokens, 12);
  EXPECT_EQ(stats.accepted, 1);
  EXPECT_EQ(stats.finished, 1);
  EXPECT_EQ(stats.running + stats.waiting, 0);
}

}  // namespace
}  // namespace troupe::continuous
