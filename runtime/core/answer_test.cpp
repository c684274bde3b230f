#include "troupe/core/answer.h"

#include "troupe/core/json.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

TokenEvent event(std::string text, std::vector<TokenId> ids, std::int32_t choice = 0) {
  TokenEvent event;
  event.text = std::move(text);
  event.token_ids = std::move(ids);
  event.choice = choice;
  return event;
}

TEST(Answer, JoinsTheEventsOfEachChoice) {
  Answer answer;
  answer.add(event("Hel", {1}));
  answer.add(event("Bon", {7}, 1));
  auto end = event("lo", {2, 3});
  end.finish = FinishReason::stop;
  answer.add(end);
  auto last = event("jour", {8}, 1);
  last.finish = FinishReason::length;
  last.last = true;
  last.usage = {5, 5, 0};
  answer.add(last);
  ASSERT_EQ(answer.choices.size(), 2u);
  EXPECT_EQ(answer.choices[0].text, "Hello");
  EXPECT_EQ(answer.choices[0].token_ids, (std::vector<TokenId>{1, 2, 3}));
  EXPECT_EQ(answer.choices[0].finish, FinishReason::stop);
  EXPECT_EQ(answer.choices[1].text, "Bonjour");
  EXPECT_EQ(answer.usage.completion_tokens, 5);
}

TEST(Answer, OfOneChoiceIsAFlatObject) {
  Answer answer;
  auto last = event("Hi", {4});
  last.finish = FinishReason::stop;
  last.last = true;
  last.usage = {3, 1, 0};
  answer.add(last);
  EXPECT_EQ(
      to_json(to_value(answer)),
      R"({"text":"Hi","token_ids":[4],"finish_reason":"stop",)"
      R"("usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4,"cached_tokens":0},)"
      R"("timings":{"queue_ms":0.0,"prefill_ms":0.0,"ttft_ms":0.0,"tpot_ms":0.0,"e2e_ms":0.0}})");
}

TEST(Answer, CarriesAnErrorBesideWhatCameBeforeIt) {
  Answer answer;
  answer.add(event("Hi", {4}));
  TokenEvent last;
  last.finish = FinishReason::error;
  last.error = Error(ErrorCode::resource_exhausted, "full");
  last.retry_after_ms = 250;
  last.last = true;
  answer.add(last);
  const auto value = to_value(answer);
  EXPECT_EQ(value.find("text")->as_string(), "Hi");
  EXPECT_EQ(value.find("error")->find("code")->as_string(), "resource_exhausted");
  EXPECT_EQ(value.find("error")->find("retry_after_ms")->as_double(), 250);
}

}  // namespace
}  // namespace troupe
