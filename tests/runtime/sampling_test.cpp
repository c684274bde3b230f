// What requests ask of sampling, through the whole pipeline of real plugins.
#include "tiny_pipeline.h"
#include "troupe/core/event_json.h"
#include "troupe/core/json.h"
#include "troupe/core/philox.h"
#include "troupe/engine/scorer.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace troupe::testing {
namespace {

constexpr const char* kPrompt = "the first word and the second word and";

class Sampling : public TinyPipeline {
 protected:
  static Request request(std::int64_t max_tokens = 12) {
    Request request;
    request.prompt = {{kPrompt, false}};
    request.sampling.seed = 11;
    request.stop.max_tokens = max_tokens;
    request.stop.ignore_eos = true;
    return request;
  }

  static Answer run(Engine& engine, Request request) {
    auto answer = engine.generate(std::move(request));
    EXPECT_TRUE(answer) << answer.error().message();
    EXPECT_FALSE(answer->error) << answer->error->message();
    return answer ? std::move(*answer) : Answer{};
  }

  /// Every bit of them.
  static std::string text_of(const std::vector<TokenScore>& scores) {
    return to_json(scores_to_json(scores, nullptr));
  }
};

// D25: exactly n choices, each that of a request of its own with the choice's seed.
TEST_F(Sampling, ChoiceIIsTheAnswerToARequestWithItsSeed) {
  auto engine = open();
  auto several = request();
  several.n = 4;
  const auto answer = run(*engine, several);
  ASSERT_EQ(answer.choices.size(), 4u);
  std::set<std::vector<TokenId>> different;
  for (std::int32_t i = 0; i < 4; ++i) {
    auto single = request();
    single.sampling.seed = choice_seed(11, i);
    const auto& choice = answer.choices[static_cast<std::size_t>(i)];
    EXPECT_EQ(run(*engine, single).choices.at(0).token_ids, choice.token_ids) << "choice " << i;
    different.insert(choice.token_ids);
  }
  EXPECT_EQ(different.size(), 4u);
}

TEST_F(Sampling, BestOfGivesTheMostProbableOfTheChoicesThatNWouldGive) {
  auto engine = open();
  auto all = request();
  all.n = 6;
  all.sampling.logprobs = 0;
  auto made = run(*engine, all).choices;
  const auto mean = [](const Choice& choice) {
    double sum = 0;
    for (const auto& score : choice.scores)
      sum += static_cast<double>(score.chosen.logprob);
    return sum / static_cast<double>(choice.scores.size());
  };
  std::ranges::stable_sort(made, std::greater(), mean);
  auto best = request();
  best.n = 2;
  best.best_of = 6;
  const auto answer = run(*engine, best);
  ASSERT_EQ(answer.choices.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(answer.choices[i].token_ids, made[i].token_ids);
    EXPECT_EQ(answer.choices[i].text, made[i].text);
    EXPECT_TRUE(answer.choices[i].scores.empty());  // nobody asked
  }
  EXPECT_EQ(answer.usage.completion_tokens, 6 * 12);
}

// D25: a number of choices beyond the cap is refused at once.
TEST_F(Sampling, TooManyChoicesAreRefused) {
  auto engine = open();
  for (const std::int32_t n : {9, 1'000'000'000}) {
    auto many = request();
    many.best_of = n;
    const auto answer = engine->generate(many).value();
    ASSERT_TRUE(answer.error);
    EXPECT_EQ(answer.error->code(), ErrorCode::invalid_argument);
    many.best_of = 0;
    many.n = n;
    EXPECT_TRUE(engine->generate(many)->error);
  }
  auto streamed = request();
  streamed.best_of = 2;
  streamed.stream = true;
  EXPECT_FALSE(engine->generate(streamed));
  EXPECT_EQ(run(*engine, request()).choices.size(), 1u);
}

TEST_F(Sampling, RequestsWithoutASeedGetOneOfTheirOwn) {
  auto engine = open();
  std::set<std::vector<TokenId>> answers;
  for (int i = 0; i < 4; ++i) {
    auto unseeded = request();
    unseeded.sampling.seed.reset();
    answers.insert(run(*engine, unseeded).choices.at(0).token_ids);
  }
  EXPECT_GT(answers.size(), 1u);
}

TEST_F(Sampling, EchoGivesThePromptInFrontOfEachChoice) {
  auto engine = open();
  auto plain = request();
  plain.n = 2;
  auto echo = plain;
  echo.echo = true;
  const auto expected = run(*engine, plain);
  const auto answer = run(*engine, echo);
  ASSERT_EQ(answer.choices.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(answer.choices[i].text, kPrompt + expected.choices.at(i).text);
  echo.best_of = 3;
  const auto best = run(*engine, echo).choices;
  EXPECT_EQ(best.size(), 2u);
  for (const auto& choice : best)
    EXPECT_TRUE(choice.text.starts_with(kPrompt)) << choice.text;
  echo.best_of = 0;
  echo.stop.max_tokens = 0;
  const auto prompt_alone = run(*engine, echo);
  ASSERT_EQ(prompt_alone.choices.size(), 2u);
  EXPECT_EQ(prompt_alone.choices[0].text, kPrompt);
  EXPECT_EQ(prompt_alone.choices[1].text, kPrompt);
}

TEST_F(Sampling, EchoOfTokenIdsIsTheirText) {
  auto engine = open();
  auto scorer = Scorer::open(spec(), catalog_).value();
  const PromptPiece piece{kPrompt, false};
  auto echo = request(2);
  echo.prompt.clear();
  echo.prompt_ids = scorer->tokenizer().encode({&piece, 1}, {.add_special = false}).value();
  const auto expected = run(*engine, echo).choices.at(0).text;
  echo.echo = true;
  EXPECT_EQ(run(*engine, echo).choices.at(0).text, kPrompt + expected);
}

// The same to the last bit whatever the chunks are and whether the prompt was served before.
TEST_F(Sampling, LogprobsOfThePromptDoNotDependOnChunksOrOnWhatWasServedBefore) {
  auto scored = request(3);
  scored.sampling.prompt_logprobs = 2;
  std::vector<TokenScore> first;
  for (const std::vector<std::string>& set :
       {std::vector<std::string>{}, {"scheduler.prefill_chunk=1"}, {"scheduler.prefill_chunk=5"}}) {
    auto engine = open(set);
    for (int again = 0; again < 2; ++again) {
      const auto answer = run(*engine, scored);
      if (first.empty()) first = answer.prompt_scores;
      EXPECT_EQ(text_of(answer.prompt_scores), text_of(first));
      EXPECT_EQ(answer.usage.cached_tokens, 0);
      EXPECT_EQ(answer.usage.prompt_tokens, static_cast<std::int64_t>(first.size()));
    }
  }
  // They are those that `troupe score` computes apart from any pipeline.
  auto scorer = Scorer::open(spec(), catalog_).value();
  std::vector<TokenId> ids;
  for (const auto& score : first)
    ids.push_back(score.chosen.token);
  const auto expected = scorer->log_probabilities(ids).value();
  ASSERT_EQ(expected.size() + 1, first.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(first[i + 1].chosen.logprob, expected[i], 1e-5);
    EXPECT_EQ(first[i + 1].top.size(), 2u);
  }
}

// What evaluation programs ask: the prompt's log-probabilities, and no token.
TEST_F(Sampling, LogprobsOfThePromptComeWithoutATokenAsWell) {
  auto engine = open();
  auto scored = request(3);
  scored.sampling.prompt_logprobs = 0;
  const auto expected = run(*engine, scored).prompt_scores;
  scored.stop.max_tokens = 0;
  scored.echo = true;
  const auto answer = run(*engine, scored);
  EXPECT_EQ(text_of(answer.prompt_scores), text_of(expected));
  EXPECT_EQ(answer.choices.at(0).text, kPrompt);
  EXPECT_EQ(answer.choices.at(0).finish, FinishReason::length);
  EXPECT_EQ(answer.usage.completion_tokens, 0);
}

TEST_F(Sampling, BadWordsDoNotComeUp) {
  auto engine = open();
  auto greedy = request(24);
  greedy.sampling.temperature = 0;
  const auto before = run(*engine, greedy).choices.at(0);
  // Two neighbouring tokens of the answer as text, and the first one alone.
  auto scorer = Scorer::open(spec(), catalog_).value();
  const auto tokens = scorer->tokenizer().tokens();
  const auto text_of = [&](std::size_t i) {
    return std::string(tokens->bytes(before.token_ids.at(i)));
  };
  for (const auto& word : {text_of(3), text_of(3) + text_of(4)}) {
    const PromptPiece piece{word, false};
    const auto ids = scorer->tokenizer().encode({&piece, 1}, {.add_special = false}).value();
    greedy.sampling.bad_words = {word};
    const auto after = run(*engine, greedy).choices.at(0);
    EXPECT_TRUE(std::ranges::search(after.token_ids, ids).empty()) << word;
    EXPECT_NE(after.token_ids, before.token_ids) << word;
  }
}

TEST_F(Sampling, AStopStringIsCutOffOrKept) {
  auto engine = open();
  auto stopped = request(24);
  stopped.sampling.temperature = 0;
  const auto whole = run(*engine, stopped).choices.at(0).text;
  const auto stop = whole.substr(whole.size() / 2, 3);
  const auto at = whole.find(stop);
  stopped.stop.stop = {stop};
  EXPECT_EQ(run(*engine, stopped).choices.at(0).text, whole.substr(0, at));
  stopped.stop.include_stop_str_in_output = true;
  const auto kept = run(*engine, stopped).choices.at(0);
  EXPECT_EQ(kept.text, whole.substr(0, at + stop.size()));
  EXPECT_EQ(kept.stop_match, stop);
}

TEST_F(Sampling, OnlyAllowedTokensAreDrawn) {
  auto engine = open();
  auto narrow = request(20);
  narrow.sampling.allowed_token_ids = {40, 41, 42};
  const auto drawn = run(*engine, narrow).choices.at(0).token_ids;
  EXPECT_EQ(drawn.size(), 20u);
  for (const TokenId id : drawn)
    EXPECT_TRUE(id >= 40 && id <= 42) << id;
  narrow.sampling.allowed_token_ids = {1'000'000};
  EXPECT_EQ(engine->generate(narrow)->error->code(), ErrorCode::invalid_argument);
}

// The mean surprise of a long answer comes near tau, under the filtered distribution.
TEST_F(Sampling, MirostatDrawsTowardsItsTarget) {
  auto engine = open();
  const auto mean_logprob = [&](float tau) {
    auto drawn = request(150);
    drawn.sampling.mirostat = 2;
    drawn.sampling.mirostat_tau = tau;
    drawn.sampling.mirostat_eta = 0.3f;
    drawn.sampling.logprobs = 0;
    double sum = 0;
    const auto choice = run(*engine, drawn).choices.at(0);
    for (const auto& score : choice.scores)
      sum += static_cast<double>(score.chosen.logprob);
    return sum / static_cast<double>(choice.scores.size());
  };
  EXPECT_GT(mean_logprob(0.5f), mean_logprob(4));
}

TEST_F(Sampling, APipelineChoosesItsChain) {
  auto engine = open({R"(sampler.chain=["temperature", "top_k"])"});
  ASSERT_TRUE(engine);
  auto refused = request();
  refused.sampling.min_p = 0.1f;
  const auto answer = engine->generate(refused).value();
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->code(), ErrorCode::unsupported);
  auto served = request();
  served.sampling.top_k = 5;
  EXPECT_EQ(run(*engine, served).choices.at(0).token_ids.size(), 12u);
}

}  // namespace
}  // namespace troupe::testing
