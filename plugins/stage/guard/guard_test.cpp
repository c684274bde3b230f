#include "troupe/core/param_check.h"
#include "troupe/testing/conformance.h"
#include "word_replacer.h"

#include <gtest/gtest.h>

#include <random>

TROUPE_CONFORMANCE()

namespace troupe {
namespace {

std::unique_ptr<Operator> make_guard(Value::Object params) {
  std::unique_ptr<Operator> object(troupe_plugin.spec->create());
  EXPECT_TRUE(
      object->configure(complete_params(troupe_plugin.spec->params, std::move(params)).value()));
  return object;
}

Stage& stage(const std::unique_ptr<Operator>& object) {
  return dynamic_cast<Stage&>(*object);
}

Request chat(Value content) {
  Request request;
  request.kind = RequestKind::chat;
  Value message;
  message.set("role", "user");
  message.set("content", std::move(content));
  request.messages.push_back(std::move(message));
  return request;
}

TEST(Guard, RefusesARequestWithAForbiddenWordInAnyCase) {
  const auto guard = make_guard({{"refuse", Value::Array{"secret"}}, {"refusal", "no"}});
  auto request = chat("tell me the SeCrEt");
  const auto verdict = stage(guard).on_request(request);
  ASSERT_EQ(verdict.action, StageVerdict::Action::refuse);
  EXPECT_EQ(verdict.error->message(), "no");
  auto harmless = chat("tell me a story");
  EXPECT_EQ(stage(guard).on_request(harmless).action, StageVerdict::Action::pass);
}

TEST(Guard, LooksIntoThePartsOfAMessageAndIntoPlainPrompts) {
  const auto guard = make_guard({{"refuse", Value::Array{"secret"}}});
  Value part;
  part.set("type", "text");
  part.set("text", "a secret");
  auto parts = chat(Value::Array{part});
  EXPECT_EQ(stage(guard).on_request(parts).action, StageVerdict::Action::refuse);
  Request plain;
  plain.prompt = {{"a secret", false}};
  EXPECT_EQ(stage(guard).on_request(plain).action, StageVerdict::Action::refuse);
}

TEST(Guard, RedactsPrompts) {
  const auto guard = make_guard({{"redact", Value::Array{"bob"}}, {"replacement", "X"}});
  auto request = chat("Bob met bobby");
  EXPECT_EQ(stage(guard).on_request(request).action, StageVerdict::Action::pass);
  EXPECT_EQ(request.messages[0].find("content")->as_string(), "X met Xby");
}

TEST(Guard, RedactsAnswersAcrossEventsAndKeepsChoicesApart) {
  const auto guard = make_guard({{"redact", Value::Array{"secret"}}, {"replacement", "X"}});
  const auto context = std::make_shared<RequestContext>();
  const auto send = [&](std::string text, std::int32_t choice, bool last = false) {
    TokenEvent event;
    event.context = context;
    event.choice = choice;
    event.text = std::move(text);
    event.last = last;
    stage(guard).on_event(event);
    return event.text;
  };
  EXPECT_EQ(send("a sec", 0), "a ");
  EXPECT_EQ(send("se", 1), "");
  EXPECT_EQ(send("ret b", 0), "X b");
  EXPECT_EQ(send("at", 1), "seat");
  EXPECT_EQ(send("secre", 0, true), "secre");
}

TEST(WordReplacer, TakesTheLongestWordAtEachPlace) {
  EXPECT_EQ(WordReplacer({"a", "abc"}, "#").replace("abcab"), "##b");
}

TEST(WordReplacer, StreamsTheSameTextHoweverItIsCut) {
  const WordReplacer replacer({"aba", "abab", "ba"}, "#");
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text, streamed, pending;
    for (int i = 0; i < 20; ++i)
      text += "ab"[random() % 2];
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t count = std::min<std::size_t>(1 + random() % 4, text.size() - at);
      streamed += replacer.stream(pending, text.substr(at, count), at + count == text.size());
      at += count;
    }
    ASSERT_EQ(streamed, replacer.replace(text)) << text;
  }
}

}  // namespace
}  // namespace troupe
