#include "troupe/api/router.h"
#include "troupe/api/stage.h"
#include "troupe/api/tokenizer.h"
#include "troupe/testing/conformance_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace troupe::testing {
namespace {

void expect_table_in_order(const TokenTable& table) {
  ASSERT_GT(table.size(), 0);
  const auto ends = table.end_of_generation();
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
  for (const TokenId id : ends) {
    EXPECT_GE(id, 0);
    EXPECT_LT(id, table.size());
  }
  for (TokenId id = 0; id < table.size(); ++id)
    EXPECT_TRUE(!table.is_control(id) || table.bytes(id).empty()) << "control token " << id;
}

std::string decode_all(const Tokenizer& tokenizer, std::span<const TokenId> ids) {
  DecodeState state;
  std::string text;
  for (const TokenId id : ids)
    tokenizer.decode(state, id, text);
  tokenizer.finish(state, text);
  return text;
}

}  // namespace

void check_tokenizer(const MakeOperator& make) {
  const auto op = make();
  const auto* tokenizer = dynamic_cast<const Tokenizer*>(op.get());
  ASSERT_NE(tokenizer, nullptr);
  ASSERT_NE(tokenizer->tokens(), nullptr);
  expect_table_in_order(*tokenizer->tokens());
  const auto encode = [&](std::string text) {
    const std::vector<PromptPiece> prompt{{std::move(text), false}};
    auto ids = tokenizer->encode(prompt, {.add_special = false});
    EXPECT_TRUE(ids) << ids.error().message();
    return ids.value_or(std::vector<TokenId>{});
  };
  EXPECT_TRUE(encode("").empty());
  EXPECT_TRUE(tokenizer->encode({}, {.add_special = false})->empty());
  for (const std::string text : {"a", "Hello world", "one\ntwo", "a  b"}) {
    const auto ids = encode(text);
    EXPECT_FALSE(ids.empty());
    for (const TokenId id : ids)
      EXPECT_TRUE(id >= 0 && id < tokenizer->tokens()->size());
    EXPECT_EQ(encode(text), ids) << "not deterministic";
    EXPECT_EQ(decode_all(*tokenizer, ids), text);
  }
  const std::atomic<bool> cancelled{true};
  const std::vector<PromptPiece> long_text{{std::string(1 << 20, 'x'), false}};
  const auto stopped = tokenizer->encode(long_text, {}, &cancelled);
  ASSERT_FALSE(stopped) << "a cancelled encode went on to its end";
  EXPECT_EQ(stopped.error().code(), ErrorCode::cancelled);
}

void check_stage(const MakeOperator& make) {
  const auto op = make();
  auto* stage = dynamic_cast<Stage*>(op.get());
  ASSERT_NE(stage, nullptr);
  Request request;
  request.context = std::make_shared<RequestContext>();
  request.prompt = {{"Hello", false}};
  Request again = request;
  const auto first = stage->on_request(request);
  const auto second = stage->on_request(again);
  EXPECT_EQ(first.action, second.action) << "not deterministic";
  EXPECT_EQ(first.action == StageVerdict::Action::refuse, first.error.has_value());
  EXPECT_EQ(request.prompt, again.prompt);
  TokenEvent event;
  event.context = request.context;
  event.token_ids = {1, 2};
  event.text = "hi";
  event.last = true;
  stage->on_event(event);
  EXPECT_EQ(event.token_ids, (std::vector<TokenId>{1, 2})) << "ids are the runtime's";
  EXPECT_TRUE(event.last) << "terminal marks are the runtime's";
}

void check_router(const MakeOperator& make) {
  const auto op = make();
  auto* router = dynamic_cast<Router*>(op.get());
  ASSERT_NE(router, nullptr);
  const std::vector<ReplicaState> replicas{{"first", 0}, {"second", 3}};
  for (const std::string model : {"", "first", "second", "no such model"}) {
    Request request;
    request.context = std::make_shared<RequestContext>();
    request.model = model;
    for (std::size_t count = 0; count <= replicas.size(); ++count) {
      const auto chosen = router->choose(request, std::span(replicas).first(count));
      EXPECT_TRUE(chosen ? *chosen < count : !chosen.error().message().empty());
    }
  }
}

}  // namespace troupe::testing
