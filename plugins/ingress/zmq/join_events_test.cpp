#include "join_events.h"

#include <gtest/gtest.h>

#include <memory>

namespace troupe::zmq_door {
namespace {

TokenEvent event_of(std::int32_t choice, std::string text, TokenId id) {
  TokenEvent event;
  event.choice = choice;
  event.text = std::move(text);
  event.token_ids = {id};
  return event;
}

TEST(JoinEvents, MakesOneEventOfThoseOfAChoice) {
  std::vector<TokenEvent> waiting;
  join(waiting, event_of(0, "ab", 1));
  join(waiting, event_of(1, "xy", 8));
  join(waiting, event_of(0, "c", 2));
  ASSERT_EQ(waiting.size(), 2u);
  EXPECT_EQ(waiting[0].text, "abc");
  EXPECT_EQ(waiting[0].token_ids, (std::vector<TokenId>{1, 2}));
  EXPECT_EQ(waiting[1].text, "xy");
}

TEST(JoinEvents, KeepsTheEndOfAChoiceAndPutsTheEndOfTheRequestLast) {
  std::vector<TokenEvent> waiting;
  auto stopped = event_of(0, "a", 1);
  stopped.finish = FinishReason::stop;
  stopped.stop_match = "END";
  join(waiting, stopped);
  join(waiting, event_of(1, "x", 8));
  TokenEvent last = event_of(0, "", 2);
  last.last = true;
  last.usage.completion_tokens = 3;
  join(waiting, last);
  ASSERT_EQ(waiting.size(), 2u);
  EXPECT_EQ(waiting[0].choice, 1);
  EXPECT_FALSE(waiting[0].last);
  EXPECT_TRUE(waiting[1].last);
  EXPECT_EQ(waiting[1].finish, FinishReason::stop);
  EXPECT_EQ(waiting[1].stop_match, "END");
  EXPECT_EQ(waiting[1].text, "a");
  EXPECT_EQ(waiting[1].usage.completion_tokens, 3);
}

TEST(JoinEvents, KeepsTheErrorThatEndsARequest) {
  std::vector<TokenEvent> waiting;
  join(waiting, event_of(0, "a", 1));
  TokenEvent last;
  last.last = true;
  last.finish = FinishReason::error;
  last.error = Error(ErrorCode::deadline, "late");
  join(waiting, last);
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].error->code(), ErrorCode::deadline);
  EXPECT_EQ(waiting[0].finish, FinishReason::error);
  EXPECT_EQ(waiting[0].text, "a");
}

}  // namespace
}  // namespace troupe::zmq_door
