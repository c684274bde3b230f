#include "troupe/core/stop_matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <string>
#include <vector>

namespace troupe {
namespace {

using Texts = std::vector<std::string>;

std::shared_ptr<const StopStrings> stops(const Texts& strings) {
  return std::make_shared<const StopStrings>(StopStrings::build(strings).value());
}

/// What a client sees: chunks of released tokens, and the rest after a match or at the end.
struct Seen {
  Texts chunks;
  std::string text;
  std::optional<StopMatch> match;
  std::size_t tokens_used = 0;
};

Seen run(const Texts& strings, const Texts& tokens) {
  Seen seen;
  StopMatcher matcher(stops(strings));
  std::size_t sent = 0;
  const auto send = [&](std::size_t count, std::size_t trim) {
    std::string chunk;
    for (; count > 0; --count)
      chunk += tokens[sent++];
    chunk.resize(chunk.size() - trim);
    if (!chunk.empty()) seen.chunks.push_back(chunk);
    seen.text += chunk;
  };
  for (const auto& token : tokens) {
    ++seen.tokens_used;
    seen.match = matcher.push(token);
    if (seen.match) {
      send(matcher.held_tokens(), seen.match->trim_bytes);
      return seen;
    }
    send(matcher.release(), 0);
  }
  send(matcher.release_all(), 0);
  return seen;
}

TEST(StopMatcher, D11HoldsHalfAStopStringBack) {
  const auto seen = run({"DEFGHIJ"}, {"abc", "DEF", "G", "HI", "J", "more"});
  EXPECT_EQ(seen.text, "abc");
  EXPECT_EQ(seen.chunks, Texts{"abc"});
  ASSERT_TRUE(seen.match);
  EXPECT_EQ(seen.match->trim_bytes, 7u);
  EXPECT_EQ(seen.tokens_used, 5u);
}

TEST(StopMatcher, D11SendsHeldTextAtOnceWhenTheMatchFails) {
  StopMatcher matcher(stops({"DEFGHIJ"}));
  EXPECT_FALSE(matcher.push("DEF"));
  EXPECT_EQ(matcher.release(), 0u);
  EXPECT_FALSE(matcher.push("G"));
  EXPECT_EQ(matcher.release(), 0u);
  EXPECT_EQ(matcher.held_tokens(), 2u);
  EXPECT_EQ(matcher.held_bytes(), 4u);
  EXPECT_FALSE(matcher.push("K"));
  EXPECT_EQ(matcher.release(), 3u);
  EXPECT_EQ(matcher.held_tokens(), 0u);
}

TEST(StopMatcher, D11FlushesHeldTextAtTheEndOfGeneration) {
  const auto seen = run({"DEFGHIJ"}, {"x", "DEF", "G"});
  EXPECT_EQ(seen.text, "xDEFG");
  EXPECT_FALSE(seen.match);
}

TEST(StopMatcher, D12ReleasesWholeTokensInOrderAndNoneTwice) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    StopMatcher matcher(stops({"aab", "ba", "abbb"}));
    std::size_t pushed = 0, released = 0;
    for (int i = 0; i < 20; ++i) {
      std::string token;
      for (auto n = random() % 3; n > 0; --n)
        token += static_cast<char>('a' + random() % 3);
      ++pushed;
      if (matcher.push(token)) break;
      released += matcher.release();
      ASSERT_EQ(released + matcher.held_tokens(), pushed);
    }
  }
}

TEST(StopMatcher, D53CutsInsideTheTokenThatCompletesTheMatch) {
  const auto seen = run({"END"}, {"one", " two E", "ND three", " four"});
  EXPECT_EQ(seen.text, "one two ");
  ASSERT_TRUE(seen.match);
  EXPECT_EQ(seen.match->trim_bytes, 3u + 6u);
  EXPECT_EQ(seen.tokens_used, 3u);
}

TEST(StopMatcher, HoldsOnlyTokensThatReachIntoTheBeginningOfAMatch) {
  StopMatcher matcher(stops({"\n\nUser:"}));
  for (const auto* token : {"Hello", " world", ".\n"})
    matcher.push(token);
  EXPECT_EQ(matcher.release(), 2u);
  EXPECT_EQ(matcher.held_bytes(), 2u);
}

TEST(StopMatcher, TakesTheStringThatIsCompleteFirst) {
  EXPECT_EQ(run({"abc", "b"}, {"xabc"}).text, "xa");
  EXPECT_EQ(run({"c", "abc"}, {"xabc"}).text, "x");  // both end at the same byte: the longest
  EXPECT_EQ(run({"c", "abc"}, {"xabc"}).match->index, 1u);
}

TEST(StopMatcher, TokensWithoutBytesWaitForTheirTurn) {
  StopMatcher matcher(stops({"ab"}));
  matcher.push("");
  EXPECT_EQ(matcher.release(), 1u);
  matcher.push("a");
  matcher.push("");
  EXPECT_EQ(matcher.release(), 0u);
  matcher.push("c");
  EXPECT_EQ(matcher.release(), 3u);
}

TEST(StopMatcher, WithoutStopStringsHoldsNothing) {
  StopMatcher matcher(stops({}));
  EXPECT_FALSE(matcher.push("anything"));
  EXPECT_EQ(matcher.release(), 1u);
}

/// The definition, tried at every byte: the match that ends first, the longest of those.
std::string cut_by_definition(const Texts& strings, const std::string& text) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const auto& s : strings)
      if (text.substr(0, end).ends_with(s)) longest = std::max(longest, s.size());
    if (longest > 0) return text.substr(0, end - longest);
  }
  return text;
}

TEST(StopMatcher, EqualsTheDefinitionHoweverTheTextIsCutIntoTokens) {
  std::mt19937 random(11);
  const auto word = [&](std::size_t n) {
    std::string text;
    while (n-- > 0)
      text += static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 5000; ++round) {
    Texts strings;
    for (auto n = 1 + random() % 4; n > 0; --n)
      strings.push_back(word(2 + random() % 6));
    const std::string text = word(30);
    Texts tokens;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t take = random() % 5;
      tokens.push_back(text.substr(at, take));
      at += take;
    }
    const auto seen = run(strings, tokens);
    ASSERT_EQ(seen.text, cut_by_definition(strings, text));
    if (seen.match) {
      ASSERT_LT(seen.match->index, strings.size());
    }
  }
}

TEST(StopMatcher, StaysLinearOnTextThatNearlyMatchesAllTheTime) {
  const std::string almost(4000, 'a');
  StopMatcher matcher(stops({almost + "b"}));
  const std::clock_t begin = std::clock();
  const std::string token(16, 'a');
  for (int i = 0; i < 65536; ++i) {  // 1 MiB
    ASSERT_FALSE(matcher.push(token));
    matcher.release();
    ASSERT_LE(matcher.held_bytes(), 4016u);
  }
  EXPECT_LT(std::clock() - begin, 2 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace troupe
