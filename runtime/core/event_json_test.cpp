#include "troupe/core/event_json.h"

#include "troupe/core/json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe {
namespace {

/// Three tokens: a word, the first half of a character, a control token.
class ThreeTokens final : public TokenTable {
 public:
  std::int32_t size() const override { return 3; }
  std::string_view bytes(TokenId id) const override {
    return id == 0 ? " a" : id == 1 ? "\xc3" : "";
  }
  bool is_control(TokenId id) const override { return id == 2; }
  std::span<const TokenId> end_of_generation() const override { return {}; }
};

TEST(EventJson, TimesHaveThreeDecimals) {
  Timings timings;
  timings.ttft_ms = 1.23456789;
  EXPECT_EQ(*timings_to_json(timings).find("ttft_ms"), Value(1.235));
}

TEST(EventJson, WritesEventsWithWhatTheyHave) {
  TokenEvent event;
  event.client_id = "7";
  event.text = "Hi";
  event.token_ids = {4};
  EXPECT_EQ(to_json(event_to_json(event)),
            R"({"id":"7","event":"tokens","number":0,"choice":0,"text":"Hi","token_ids":[4]})");
  event.last = true;
  event.finish = FinishReason::error;
  event.error = Error(ErrorCode::resource_exhausted, "full");
  event.retry_after_ms = 250;
  const auto end = event_to_json(event);
  EXPECT_EQ(end.find("event")->as_string(), "end");
  EXPECT_EQ(end.find("finish_reason")->as_string(), "error");
  EXPECT_EQ(end.find("error")->find("retry_after_ms")->as_double(), 250);
  EXPECT_TRUE(end.find("usage"));
  EXPECT_TRUE(end.find("timings"));
}

// D26: the bytes are exact, also of half a character.
TEST(EventJson, ScoresHaveTheTextAndBytesOfTheirTokens) {
  TokenEvent event;
  event.context = std::make_shared<RequestContext>();
  event.context->tokens = std::make_shared<ThreeTokens>();
  event.token_ids = {0};
  event.scores = {{{0, -0.5f}, {{1, -0.25f}, {2, -2.0f}}}};
  EXPECT_EQ(to_json(*event_to_json(event).find("logprobs")),
            R"([{"token":0,"text":" a","bytes":[32,97],"logprob":-0.5,"top":[)"
            "{\"token\":1,\"text\":\"\xef\xbf\xbd\",\"bytes\":[195],\"logprob\":-0.25},"
            R"({"token":2,"text":"","bytes":[],"logprob":-2.0}]}])");
}

TEST(EventJson, WithoutATableScoresHaveIdsAlone) {
  TokenEvent event;
  event.token_ids = {7};
  event.scores = {{{7, -0.5f}, {}}};
  EXPECT_EQ(to_json(*event_to_json(event).find("logprobs")),
            R"([{"token":7,"logprob":-0.5,"top":[]}])");
}

TEST(EventJson, TheFirstTokenOfAPromptHasNoLogprob) {
  TokenEvent event;
  event.prompt_scores = {{{7, 0}, {}}, {{8, -0.5f}, {{9, -0.25f}}}};
  EXPECT_EQ(to_json(*event_to_json(event).find("prompt_logprobs")),
            R"([{"token":7,"logprob":null,"top":[]},)"
            R"({"token":8,"logprob":-0.5,"top":[{"token":9,"logprob":-0.25}]}])");
}

}  // namespace
}  // namespace troupe
