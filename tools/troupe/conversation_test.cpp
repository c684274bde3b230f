#include "conversation.h"

#include <gtest/gtest.h>

namespace troupe::program {
namespace {

TEST(Conversation, PutsTheSystemMessageFirstAndKeepsTheOrder) {
  Conversation conversation;
  conversation.add_user("Hi");
  conversation.add_assistant("Hello");
  conversation.set_system("Be brief.");
  const auto messages = conversation.messages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(*messages[0].find("role"), Value("system"));
  EXPECT_EQ(*messages[0].find("content"), Value("Be brief."));
  EXPECT_EQ(*messages[1].find("role"), Value("user"));
  EXPECT_EQ(*messages[2].find("role"), Value("assistant"));
}

TEST(Conversation, ResetForgetsMessagesButNotTheSystemText) {
  Conversation conversation;
  conversation.set_system("x");
  conversation.add_user("Hi");
  conversation.reset();
  EXPECT_EQ(conversation.size(), 0u);
  EXPECT_EQ(conversation.messages().size(), 1u);
}

TEST(Conversation, TakesAQuestionWithoutAnswerBack) {
  Conversation conversation;
  conversation.add_user("Hi");
  conversation.drop_last();
  EXPECT_TRUE(conversation.messages().empty());
}

}  // namespace
}  // namespace troupe::program
