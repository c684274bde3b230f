// Log-probabilities of prompts, mirostat's surprises, and what ends a text as part of it.
#include "test_rig.h"

#include <string>
#include <vector>

namespace troupe::continuous {
namespace {

/// Scores a token of the prompt by its position, and gives each drawn token a surprise.
void score(const SampleRow& row, SampledToken& token) {
  if (row.scored >= 0) {
    token.token = row.scored;
    token.chosen = TokenLogprob{row.scored, -static_cast<float>(row.position)};
    EXPECT_EQ(row.history[static_cast<std::size_t>(row.position)], row.scored);
  } else {
    token.surprise = static_cast<float>(row.position);
  }
}

Rig::Draft scored_draft(const Rig& rig, std::size_t length, std::int64_t max_tokens) {
  auto draft = rig.draft(1, length);
  draft->sampling.prompt_logprobs = 0;
  draft->stop.max_tokens = max_tokens;
  return draft;
}

/// The request's prompt was scored whole and once, before its tokens.
void expect_scores(const Rig& rig, const Rig::Draft& draft) {
  const auto events = rig.events_of(1);
  ASSERT_FALSE(events.empty());
  const auto& scores = events[0].prompt_scores;
  ASSERT_EQ(scores.size(), draft.prompt_ids.size());
  EXPECT_EQ(scores[0].chosen.token, draft.prompt_ids[0]);
  for (std::size_t i = 1; i < scores.size(); ++i)
    EXPECT_EQ(scores[i].chosen, (TokenLogprob{draft.prompt_ids[i], -static_cast<float>(i)}));
  for (std::size_t i = 1; i < events.size(); ++i)
    EXPECT_TRUE(events[i].prompt_scores.empty());
  for (std::size_t i = 0; i < events.size(); ++i)
    EXPECT_EQ(events[i].number, i);
}

TEST(PromptScores, AreTheSameHoweverThePromptIsCut) {
  for (const std::int64_t chunk : {1, 3, 16, 512})
    for (const std::size_t length : {1, 2, 16, 17, 40}) {
      Rig rig({{"prefill_chunk", chunk}});
      rig.sampler.change = score;
      const auto draft = scored_draft(rig, length, 3);
      rig.admit(draft);
      rig.run();
      expect_scores(rig, draft);
      EXPECT_EQ(rig.tokens_of(1), alone(1, length, 3)) << "chunk " << chunk;
    }
}

TEST(PromptScores, OfARequestThatWantsNoTokenAreAllThatIsComputed) {
  for (const std::int32_t n : {1, 3}) {
    Rig rig({{"prefill_chunk", 16}});
    rig.sampler.change = score;
    auto draft = scored_draft(rig, 40, 0);
    draft->n = n;
    rig.admit(draft);
    rig.run();
    expect_scores(rig, draft);
    EXPECT_EQ(rig.events_of(1).size(), static_cast<std::size_t>(n) + 1);
    const auto end = rig.end_of(1);
    EXPECT_EQ(end.finish, FinishReason::length);
    EXPECT_EQ(end.usage.completion_tokens, 0);
    EXPECT_EQ(rig.scheduler->stats().finished, 1);
  }
}

TEST(PromptScores, SeveralChoicesHaveThemOnce) {
  Rig rig;
  rig.sampler.change = score;
  auto draft = scored_draft(rig, 20, 4);
  draft->n = 3;
  rig.admit(draft);
  rig.run();
  expect_scores(rig, draft);
  for (std::int32_t choice = 0; choice < 3; ++choice)
    EXPECT_EQ(rig.tokens_of(1, choice).size(), 4u);
}

TEST(PromptScores, SurviveTheLossOfTheExecutorInMidPrompt) {
  Rig rig({{"prefill_chunk", 8}});
  rig.sampler.change = score;
  const auto draft = scored_draft(rig, 40, 3);
  rig.admit(draft);
  rig.turn();
  rig.turn();
  rig.scheduler->step_lost(rig.now());
  rig.cache.reset();
  rig.run();
  expect_scores(rig, draft);
}

TEST(PromptScores, ARestoredRequestScoresItsPromptAgainUnlessItWasSent) {
  for (const int turns : {2, 6}) {  // in the prompt, and after it
    Rig first({{"prefill_chunk", 8}});
    first.sampler.change = score;
    const auto draft = scored_draft(first, 30, 5);
    first.admit(draft);
    for (int i = 0; i < turns; ++i)
      first.turn();
    const bool sent = !first.events_of(1).empty();
    EXPECT_EQ(sent, turns == 6);
    Rig second;
    second.sampler.change = score;
    ASSERT_TRUE(second.scheduler->restore(first.scheduler->journal(), second.now()));
    second.run();
    std::size_t scored = 0;
    for (const auto& event : second.events_of(1))
      scored += event.prompt_scores.size();
    EXPECT_EQ(scored, sent ? 0u : 30u);
  }
}

TEST(PromptScores, ASamplerThatDoesNotScoreEndsTheRequestThatAsks) {
  Rig rig;
  rig.admit(scored_draft(rig, 20, 3));
  rig.admit(2, 20, 3);
  rig.run();
  EXPECT_EQ(rig.end_of(1).error->code(), ErrorCode::unsupported);
  EXPECT_EQ(rig.end_of(2).finish, FinishReason::length);
}

// Mirostat's bound is a function of these, so it survives whatever the tokens survive.
TEST(Surprises, OfAllTokensSoFarComeWithEachRow) {
  Rig rig;
  std::vector<std::size_t> seen;
  rig.sampler.change = [&](const SampleRow& row, SampledToken& token) {
    score(row, token);
    const auto num_output = row.history.size() - static_cast<std::size_t>(row.prompt_tokens);
    EXPECT_EQ(row.surprises.size(), num_output);
    for (std::size_t i = 0; i < num_output; ++i)
      EXPECT_EQ(row.surprises[i], static_cast<float>(row.prompt_tokens) + static_cast<float>(i));
    seen.push_back(num_output);
  };
  auto draft = rig.draft(1, 10);
  draft->sampling.mirostat = 2;
  draft->stop.max_tokens = 6;
  rig.admit(draft);
  for (int i = 0; i < 3; ++i)
    rig.turn();
  rig.scheduler->step_lost(rig.now());
  rig.cache.reset();
  rig.turn();
  Rig second;
  second.sampler.change = rig.sampler.change;
  ASSERT_TRUE(second.scheduler->restore(rig.scheduler->journal(), second.now()));
  second.run();
  EXPECT_EQ(second.end_of(1).finish, FinishReason::length);
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Surprises, ASamplerWithoutMirostatEndsTheRequestThatAsks) {
  Rig rig;
  auto draft = rig.draft(1, 10);
  draft->sampling.mirostat = 2;
  draft->stop.max_tokens = 3;
  rig.admit(draft);
  rig.run();
  EXPECT_EQ(rig.end_of(1).error->code(), ErrorCode::unsupported);
}

/// A request of a vocabulary of words that draws the words 1, 2, 3, ... and stops at "cd".
TokenEvent end_with_stop(bool include, std::vector<TokenEvent>& events) {
  Rig rig;
  rig.sampler.scripts[7] = {1, 2, 3, 4, 5};
  auto draft = rig.draft(1, 4, 7);
  draft.tokens = std::make_shared<WordTokens>(
      std::vector<std::string>{"", "a", "bc", "dxy", "e", "f", "g", "h", "i", "j"});
  for (auto& id : draft.prompt_ids)
    id %= 10;
  draft.prompt_ids[0] = 7;
  draft->stop.stop = {"cd"};
  draft->stop.include_stop_str_in_output = include;
  draft->stop.max_tokens = 5;
  rig.admit(draft);
  rig.run();
  events = rig.events_of(1);
  return rig.end_of(1);
}

TEST(StopStrings, AreCutOffUnlessTheyAreWantedInTheOutput) {
  std::vector<TokenEvent> events;
  const auto without = end_with_stop(false, events);
  EXPECT_EQ(without.stop_match, "cd");
  EXPECT_EQ(without.trim_bytes, 4u);                           // "cdxy" of "bc" "dxy"
  EXPECT_EQ(without.token_ids, (std::vector<TokenId>{2, 3}));  // "bc" was held back
  const auto with = end_with_stop(true, events);
  EXPECT_EQ(with.stop_match, "cd");
  EXPECT_EQ(with.trim_bytes, 2u);                      // "xy"
  EXPECT_EQ(with.token_ids, std::vector<TokenId>{3});  // nothing was
  EXPECT_EQ(events.size(), 3u);
}

}  // namespace
}  // namespace troupe::continuous
