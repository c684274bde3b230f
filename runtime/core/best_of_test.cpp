#include "troupe/core/best_of.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe {
namespace {

TokenEvent event(std::int32_t choice, std::string text, std::vector<float> logprobs,
                 FinishReason finish = FinishReason::none) {
  TokenEvent event;
  event.client_id = "c";
  event.choice = choice;
  event.text = std::move(text);
  event.finish = finish;
  for (const float logprob : logprobs) {
    event.token_ids.push_back(choice);
    event.scores.push_back({{choice, logprob}, {}});
  }
  return event;
}

TEST(BestOf, GivesTheChoicesWithTheHighestMeanLogprobBestFirst) {
  BestOf best(2, true);
  EXPECT_TRUE(best.add(event(0, "poor", {-3, -3})).empty());
  EXPECT_TRUE(best.add(event(1, "go", {-1})).empty());
  // Long, so that its sum is the lowest, and yet the best per token.
  EXPECT_TRUE(
      best.add(event(2, "best", {-0.75, -0.75, -0.75, -0.75, -0.75, -0.75, -0.75, -0.75, -0.75},
                     FinishReason::length))
          .empty());
  EXPECT_TRUE(best.add(event(0, "", {}, FinishReason::stop)).empty());
  auto last = event(1, "od", {-1.5f}, FinishReason::stop);
  last.last = true;
  last.usage = {4, 13, 0};
  const auto events = best.add(last);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].text, "best");
  EXPECT_EQ(events[0].choice, 0);
  EXPECT_EQ(events[0].finish, FinishReason::length);
  EXPECT_FALSE(events[0].last);
  EXPECT_EQ(events[1].text, "good");
  EXPECT_EQ(events[1].choice, 1);
  EXPECT_EQ(events[1].number, 1u);
  EXPECT_EQ(events[1].client_id, "c");
  EXPECT_EQ(events[1].scores.size(), 2u);
  EXPECT_TRUE(events[1].last);
  EXPECT_EQ(events[1].usage.completion_tokens, 13);  // of all that were made
}

TEST(BestOf, OfEqualChoicesTheEarlierComesFirst) {
  BestOf best(1, true);
  best.add(event(1, "second", {-1}, FinishReason::stop));
  auto last = event(0, "first", {-1}, FinishReason::stop);
  last.last = true;
  EXPECT_EQ(best.add(last).at(0).text, "first");
}

TEST(BestOf, LogprobsNobodyAskedForAreNotSent) {
  BestOf best(1, false);
  auto first = event(0, "", {});
  first.prompt_scores = {{{5, 0}, {}}};
  best.add(first);
  auto last = event(0, "x", {-1}, FinishReason::stop);
  last.last = true;
  const auto events = best.add(last);
  EXPECT_TRUE(events.at(0).scores.empty());
  EXPECT_EQ(events.at(0).token_ids.size(), 1u);
  EXPECT_EQ(events.at(0).prompt_scores.size(), 1u);  // these were asked for apart
}

TEST(BestOf, AnErrorEndsTheRequestAlone) {
  BestOf best(1, true);
  best.add(event(0, "x", {-1}));
  auto last = event(1, "", {}, FinishReason::error);
  last.last = true;
  last.error = Error(ErrorCode::internal, "broken");
  const auto events = best.add(last);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].last);
  EXPECT_EQ(events[0].error->message(), "broken");
}

}  // namespace
}  // namespace troupe
