#include "test_case.h"

namespace troupe::gumbel {
namespace {

using Tokens = std::set<TokenId>;

TEST(Restrict, OnlyAllowedTokensAreDrawn) {
  Case one({5, 4, 3, 2});
  one.params.allowed_token_ids = {1, 3, 1};
  EXPECT_EQ(one.drawn(), (Tokens{1, 3}));
  one.params.temperature = 0;
  EXPECT_EQ(one.token(), 1);
  one.banned = {1};
  EXPECT_EQ(one.token(), 3);
  one.banned = {1, 3};
  EXPECT_NE(one.sample().error->message().find("every logit is -inf or banned"), std::string::npos);
  EXPECT_EQ(one.sample().error->code(), ErrorCode::invalid_argument);
}

TEST(Restrict, BannedTokensAreNotDrawnWhateverTheirBias) {
  Case one = greedy({5, 4, 3});
  one.params.banned_token_ids = {0, 1};
  one.params.logit_bias = {{0, 100.0f}};
  EXPECT_EQ(one.token(), 2);
}

TEST(Restrict, ABadWordOfOneTokenIsNeverDrawn) {
  Case one = greedy({5, 4, 3});
  one.bad_words = {{0}};
  EXPECT_EQ(one.token(), 1);
}

TEST(Restrict, TheLastTokenOfABadWordIsNotDrawnBehindTheOthers) {
  Case one = greedy({5, 4, 3, 2});
  one.bad_words = {{2, 3, 0}};
  one.history = {2, 3};
  one.prompt_tokens = 0;
  EXPECT_EQ(one.token(), 1);
  one.history = {3, 2};
  EXPECT_EQ(one.token(), 0);
  one.history = {3};
  EXPECT_EQ(one.token(), 0);
  one.history = {1, 2, 3};  // the 2 is of the prompt: the word would not be the output's
  one.prompt_tokens = 2;
  EXPECT_EQ(one.token(), 0);
}

// D22: ids outside the vocabulary are errors of their request.
TEST(Restrict, IdsOutsideTheVocabularyAreErrors) {
  for (const TokenId outside : {-1, 3, INT32_MAX}) {
    Case one({1, 2, 3});
    one.params.allowed_token_ids = {outside};
    EXPECT_TRUE(one.sample().error) << outside;
    one.params.allowed_token_ids = {};
    one.params.banned_token_ids = {outside};
    EXPECT_TRUE(one.sample().error) << outside;
    one.params.banned_token_ids = {};
    one.bad_words = {{outside}};
    EXPECT_TRUE(one.sample().error) << outside;
  }
}

TEST(Restrict, AnAllowedListLeavesNoTraceInLaterRows) {
  Case narrow({5, 4, 3});
  narrow.params.allowed_token_ids = {2};
  const auto op = narrow.make_sampler();
  const auto& sampler = dynamic_cast<const Sampler&>(*op);
  EXPECT_EQ(narrow.sample_with(sampler).token, 2);
  Case free = greedy({5, 4, 3});
  free.params.repetition_penalty = 3;
  free.history = {0, 1};
  EXPECT_EQ(free.sample_with(sampler).token, 2);  // 5/3, 4/3, 3
}

TEST(Scoring, ARowThatIsScoredTellsTheLogprobOfItsTokenAndDrawsNone) {
  Case one(logs({0.5, 0.125, 0.25, 0.125}));
  one.params.prompt_logprobs = 2;
  one.params.logit_bias = {{3, 50.0f}};  // what a drawn token would see
  one.params.temperature = 0;
  one.scored = 1;
  const auto sampled = one.sample();
  ASSERT_FALSE(sampled.error);
  EXPECT_EQ(sampled.token, 1);
  EXPECT_NEAR(sampled.chosen->logprob, std::log(0.125), 1e-6);
  ASSERT_EQ(sampled.top.size(), 2u);
  EXPECT_EQ(sampled.top[0].token, 0);
  EXPECT_EQ(sampled.top[1].token, 2);
  one.scored = 4;
  EXPECT_NE(one.sample().error->message().find("scored token 4"), std::string::npos);
}

}  // namespace
}  // namespace troupe::gumbel
