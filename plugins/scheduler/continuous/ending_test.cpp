#include "test_rig.h"

namespace troupe::continuous {
namespace {

/// A rig whose model says the given words, one token each, after a prompt of one other token.
struct Words {
  explicit Words(std::vector<std::string> said) {
    std::vector<std::string> all{"prompt"};
    std::vector<TokenId> script;
    for (auto& word : said) {
      script.push_back(static_cast<TokenId>(all.size()));
      all.push_back(std::move(word));
    }
    all.resize(64, "?");
    rig.sampler.scripts[0] = script;
    draft = rig.draft(1, 1, 0);
    draft.tokens = std::make_shared<WordTokens>(all);
    draft->stop.ignore_eos = false;
    draft->stop.max_tokens = static_cast<std::int64_t>(script.size());
  }

  /// The text each event carries, without what is trimmed.
  std::vector<std::string> run() {
    rig.admit(draft);
    rig.run();
    std::vector<std::string> texts;
    for (const auto& event : rig.events_of(1)) {
      std::string text;
      for (const TokenId id : event.token_ids)
        text += draft.tokens->bytes(id);
      EXPECT_LE(event.trim_bytes, text.size());
      texts.push_back(text.substr(0, text.size() - event.trim_bytes));
    }
    return texts;
  }

  Rig rig;
  Rig::Draft draft;
};

using Texts = std::vector<std::string>;

// D11: nothing of a stop string reaches the client.
TEST(Ending, HalfAStopStringIsHeldBackUntilItIsWhole) {
  Words words({"abc", "DEF", "G", "HI", "Jxy", "never"});
  words.draft->stop.stop = {"DEFGHIJ"};
  EXPECT_EQ(words.run(), (Texts{"abc", ""}));
  const auto end = words.rig.end_of(1);
  EXPECT_EQ(end.finish, FinishReason::stop);
  EXPECT_EQ(end.stop_match, "DEFGHIJ");
  EXPECT_EQ(end.token_ids.size(), 4u);
  EXPECT_EQ(end.trim_bytes, 9u);  // the string, and "xy" behind it
  EXPECT_EQ(end.usage.completion_tokens, 5);
}

TEST(Ending, HeldTextIsSentAtOnceWhenTheMatchFails) {
  Words words({"abc", "DEF", "G", "HI", "x", "y"});
  words.draft->stop.stop = {"DEFGHIJ"};
  EXPECT_EQ(words.run(), (Texts{"abc", "DEFGHIx", "y"}));
  EXPECT_EQ(words.rig.end_of(1).finish, FinishReason::length);
}

TEST(Ending, HeldTextIsSentAtTheEnd) {
  Words words({"abc", "DEF", "G"});
  words.draft->stop.stop = {"DEFGHIJ"};
  EXPECT_EQ(words.run(), (Texts{"abc", "DEFG"}));
  Words ended({"abc", "DEF", "<end>", "never"});
  ended.draft->stop.stop = {"DEFGHIJ"};
  EXPECT_EQ(ended.run(), (Texts{"abc", "DEF"}));
  EXPECT_EQ(ended.rig.end_of(1).finish, FinishReason::stop);
  EXPECT_EQ(ended.rig.end_of(1).stop_match, "");
}

TEST(Ending, TextBeforeAStopStringInTheSameTokenIsKept) {
  Words words({"abcDE", "Fgh", "never"});
  words.draft->stop.stop = {"DEF"};
  EXPECT_EQ(words.run(), (Texts{"abc"}));
}

// D12: every event has exactly the scores of its tokens; no token is cut or comes twice.
TEST(Ending, ScoresStayWithTheirTokens) {
  Words words({"abc", "DEF", "G", "x", "DEF", "GHIJ"});
  words.draft->stop.stop = {"DEFGHIJ"};
  words.draft->sampling.logprobs = 0;
  EXPECT_EQ(words.run(), (Texts{"abc", "DEFGx", ""}));
  TokenId expected = 1;
  for (const auto& event : words.rig.events_of(1)) {
    ASSERT_EQ(event.scores.size(), event.token_ids.size());
    for (std::size_t i = 0; i < event.token_ids.size(); ++i, ++expected) {
      EXPECT_EQ(event.token_ids[i], expected);
      EXPECT_EQ(event.scores[i].chosen.token, expected);
    }
  }
  EXPECT_EQ(expected, 7);
}

TEST(Ending, TheEndTokenIsCountedButIsNoText) {
  Words words({"a", "<end>", "never"});
  EXPECT_EQ(words.run(), (Texts{"a", ""}));
  const auto end = words.rig.end_of(1);
  EXPECT_EQ(end.finish, FinishReason::stop);
  EXPECT_EQ(end.token_ids, (std::vector<TokenId>{2}));
  EXPECT_EQ(end.usage.completion_tokens, 2);
}

TEST(Ending, IgnoreEosGoesOnBehindTheEndToken) {
  Words words({"a", "<end>", "b"});
  words.draft->stop.ignore_eos = true;
  EXPECT_EQ(words.run(), (Texts{"a", "", "b"}));
  EXPECT_EQ(words.rig.end_of(1).finish, FinishReason::length);
}

TEST(Ending, AStopIdEndsTheTextBeforeIt) {
  Words words({"a", "\n", "never"});
  words.draft->stop.stop_token_ids = {2};
  EXPECT_EQ(words.run(), (Texts{"a", ""}));
  EXPECT_EQ(words.rig.end_of(1).trim_bytes, 1u);
  EXPECT_EQ(words.rig.end_of(1).finish, FinishReason::stop);
}

TEST(Ending, TheFirstMinTokensEndNothing) {
  Words words({"STOP", "b", "c", "STOP", "never"});
  words.draft->stop.stop = {"STOP"};
  words.draft->stop.min_tokens = 2;
  EXPECT_EQ(words.run(), (Texts{"STOP", "b", "c", ""}));
  EXPECT_EQ(words.rig.end_of(1).usage.completion_tokens, 4);
}

TEST(Ending, EndTokensAreBannedUntilMinTokensAreMade) {
  Rig rig;
  auto draft = rig.draft(1, 5);
  draft->stop.ignore_eos = false;
  draft->stop.min_tokens = 12;
  draft->stop.max_tokens = 30;
  rig.admit(draft);
  rig.run();
  const auto ids = rig.tokens_of(1);
  ASSERT_GE(ids.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_NE(ids[i], testing::FakeTokens::kEnd);
}

// D53: the answer is cut at the exact token.
TEST(Ending, MaxTokensAndTheContextEndAtTheExactToken) {
  for (const std::int64_t max_tokens : {1, 2, 15, 16, 17}) {
    Rig rig;
    rig.admit(1, 16, max_tokens);
    rig.run();
    EXPECT_EQ(rig.tokens_of(1).size(), static_cast<std::size_t>(max_tokens));
    EXPECT_EQ(rig.end_of(1).usage.completion_tokens, max_tokens);
  }
  Rig rig({}, Rig::executor_of(64, 40));
  rig.admit(1, 16, -1);
  rig.admit(2, 16, 24);
  rig.run();
  for (const std::uint64_t id : {1, 2}) {
    EXPECT_EQ(rig.tokens_of(id).size(), 24u);
    EXPECT_EQ(rig.end_of(id).finish, FinishReason::length);
  }
}

// D25: exactly n choices, each with its end, and one end of the request.
TEST(Choices, EachHasAnIndexASeedAndAnEndOfItsOwn) {
  Rig rig;
  std::map<std::uint64_t, int> seeds;
  rig.sampler.change = [&](const SampleRow& row, SampledToken& token) {
    ++seeds[row.seed];
    token.token = static_cast<TokenId>(10 + seeds.size());  // tells the choices apart at first
  };
  auto draft = rig.draft(1, 6);
  draft->n = 4;
  draft->sampling.seed = 5;
  draft->stop.max_tokens = 3;
  rig.admit(draft);
  rig.run();
  EXPECT_EQ(seeds.size(), 4u);
  EXPECT_EQ(seeds.count(5), 1u);  // choice 0 is what n = 1 would give
  std::map<std::int32_t, int> ends;
  for (const auto& event : rig.events_of(1)) {
    EXPECT_LT(event.choice, 4);
    if (event.finish != FinishReason::none) ++ends[event.choice];
  }
  EXPECT_EQ(ends, (std::map<std::int32_t, int>{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  EXPECT_EQ(rig.end_of(1).usage.completion_tokens, 12);
  EXPECT_EQ(rig.end_of(1).usage.prompt_tokens, 6);
}

TEST(Choices, OneThatStopsEarlyLeavesTheOthersGoing) {
  Rig rig;
  auto draft = rig.draft(1, 6);
  draft->n = 3;
  draft->stop.max_tokens = 6;
  draft->stop.stop_token_ids = {63};
  draft->sampling.seed = 5;
  rig.sampler.change = [&](const SampleRow& row, SampledToken& token) {
    const bool first = row.seed == 5;
    token.token = first && row.history.size() == 7 ? 63 : 7;
  };
  rig.admit(draft);
  rig.run();
  EXPECT_EQ(rig.tokens_of(1, 0).size(), 2u);
  EXPECT_EQ(rig.tokens_of(1, 1).size(), 6u);
  EXPECT_EQ(rig.tokens_of(1, 2).size(), 6u);
  int last = 0;
  for (const auto& event : rig.events_of(1))
    last += event.last ? 1 : 0;
  EXPECT_EQ(last, 1);
  EXPECT_EQ(rig.end_of(1).usage.completion_tokens, 14);
}

TEST(Choices, TwoRequestsOfOneClientIdAreKeptApart) {
  Rig rig;
  for (std::uint64_t id = 1; id <= 2; ++id) {
    auto draft = rig.draft(id, 5 + id);
    draft->client_id = "same";
    draft->n = 2;
    draft->stop.max_tokens = 4;
    rig.admit(draft);
  }
  rig.run();
  for (std::uint64_t id = 1; id <= 2; ++id)
    for (std::int32_t choice = 0; choice < 2; ++choice)
      EXPECT_EQ(rig.tokens_of(id, choice), alone(id, 5 + id, 4));
}

TEST(Timings, AreExact) {
  Rig rig({{"max_num_seqs", 1}, {"prefill_chunk", 8}});
  rig.admit(1, 5, 2);
  rig.admit(2, 16, 4);
  rig.run();
  const auto first = rig.end_of(1).timings;
  EXPECT_EQ(first.queue_ms, 1);
  EXPECT_EQ(first.prefill_ms, 0);  // this rig's steps take no time
  EXPECT_EQ(first.ttft_ms, 1);
  EXPECT_EQ(first.tpot_ms, 1);
  EXPECT_EQ(first.e2e_ms, 2);
  const auto second = rig.end_of(2).timings;
  EXPECT_EQ(second.queue_ms, 3);
  EXPECT_EQ(second.prefill_ms, 1);  // two chunks
  EXPECT_EQ(second.ttft_ms, 4);
  EXPECT_EQ(second.tpot_ms, 1);
  EXPECT_EQ(second.e2e_ms, 7);
}

TEST(Events, AreNumberedFromZeroAndCarryTheClientsName) {
  Rig rig;
  rig.admit(7, 5, 4);
  rig.run();
  const auto events = rig.events_of(7);
  ASSERT_EQ(events.size(), 4u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].number, i);
    EXPECT_EQ(events[i].client_id, "c7");
    EXPECT_EQ(events[i].last, i == 3);
    EXPECT_EQ(events[i].token_ids.size(), 1u);
  }
}

}  // namespace
}  // namespace troupe::continuous
