#include "troupe/api/scheduler.h"
#include "troupe/testing/conformance_kinds.h"
#include "troupe/testing/fake_executor.h"
#include "troupe/testing/fake_model.h"
#include "troupe/testing/plain_operators.h"
#include "troupe/testing/token_loop.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

namespace troupe::testing {
namespace {

constexpr Time kStart{};

TokenizedRequestPtr make_request(std::uint64_t id, std::size_t prompt_tokens,
                                 std::int64_t max_tokens, std::int32_t vocab_size) {
  auto request = std::make_shared<Request>();
  request->context = std::make_shared<RequestContext>();
  request->context->id = RequestId{id};
  request->context->arrived = kStart;
  request->sampling.temperature = 0;
  request->stop.max_tokens = max_tokens;
  auto tokenized = std::make_shared<TokenizedRequest>();
  tokenized->request = request;
  for (std::size_t i = 0; i < prompt_tokens; ++i)
    tokenized->prompt_ids.push_back(static_cast<TokenId>((id * 7 + i) % 60));
  tokenized->tokens = std::make_shared<FakeTokens>(vocab_size);
  return tokenized;
}

/// A scheduler in a loop of its own.
struct Loop {
  explicit Loop(const MakeOperator& make, const ExecutorInfo& info)
      : op(make()), cache(info.num_blocks), executor(info) {
    scheduler = dynamic_cast<Scheduler*>(op.get());
    if (scheduler) loop.emplace(*scheduler, cache, executor, sampler);
  }

  void run() {
    for (int turns = 0; scheduler->has_work(); ++turns) {
      ASSERT_LT(turns, 10000) << "no end of turns";
      loop->turn(kStart, events);
      const auto good = scheduler->check();
      ASSERT_TRUE(good) << good.error().message();
    }
  }

  std::map<std::uint64_t, std::vector<TokenId>> tokens() const {
    std::map<std::uint64_t, std::vector<TokenId>> all;
    for (const auto& event : events.events) {
      auto& ids = all[event.context->id.value];
      ids.insert(ids.end(), event.token_ids.begin(), event.token_ids.end());
    }
    return all;
  }

  void expect_one_end_each() const {
    std::map<std::uint64_t, std::uint64_t> next;
    std::map<std::uint64_t, bool> ended;
    for (const auto& event : events.events) {
      const auto id = event.context->id.value;
      EXPECT_FALSE(ended[id]) << "an event after the last one";
      EXPECT_EQ(event.number, next[id]++);
      ended[id] = event.last;
    }
    for (const auto& [id, end] : ended)
      EXPECT_TRUE(end) << "request " << id << " has no end";
  }

  std::unique_ptr<Operator> op;
  Scheduler* scheduler = nullptr;
  PlainCache cache;
  FakeExecutor executor;
  PickLargest sampler;
  RecordedEvents events;
  std::optional<TokenLoop> loop;
};

}  // namespace

void check_scheduler(const MakeOperator& make, const Resources& resources) {
  const auto info = resources.executor_info();
  ASSERT_TRUE(info) << info.error().message();
  Loop all(make, *info);
  ASSERT_NE(all.scheduler, nullptr);
  EXPECT_FALSE(all.scheduler->has_work());
  EXPECT_FALSE(all.scheduler->next_deadline());
  all.scheduler->cancel(RequestId{99}, std::nullopt, kStart, all.events);  // unknown: ignored
  EXPECT_TRUE(all.events.events.empty());

  std::vector<TokenizedRequestPtr> requests;
  for (std::uint64_t id = 1; id <= 5; ++id)  // the first one has a prompt of a single token
    requests.push_back(make_request(id, 1 + (id - 1) * 11, 8, info->vocab_size));
  for (const auto& request : requests)
    all.scheduler->admit(request, kStart, all.events);
  all.run();
  all.expect_one_end_each();
  EXPECT_EQ(all.cache.stats().blocks_used, 0) << "blocks were not given back";

  const auto together = all.tokens();
  EXPECT_EQ(together.size(), 5u);
  for (const auto& request : requests) {
    Loop alone(make, *info);
    alone.scheduler->admit(request, kStart, alone.events);
    alone.run();
    const auto id = request->request->context->id.value;
    EXPECT_EQ(alone.tokens(), (std::map{std::pair{id, together.at(id)}}));
  }

  const auto before = all.events.events.size();
  all.scheduler->admit(make_request(6, 20, 8, info->vocab_size), kStart, all.events);
  all.loop->turn(kStart, all.events);
  all.scheduler->cancel(RequestId{6}, std::nullopt, kStart, all.events);
  all.scheduler->cancel(RequestId{6}, std::nullopt, kStart, all.events);
  all.run();
  all.expect_one_end_each();
  ASSERT_GT(all.events.events.size(), before);
  EXPECT_EQ(all.events.events.back().finish, FinishReason::cancelled);
  EXPECT_EQ(all.cache.stats().blocks_used, 0);
}

}  // namespace troupe::testing
