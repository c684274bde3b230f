#include "troupe/api/scheduler.h"
#include "troupe/testing/conformance_kinds.h"
#include "troupe/testing/fake_executor.h"
#include "troupe/testing/fake_model.h"
#include "troupe/testing/plain_operators.h"
#include "troupe/testing/token_loop.h"

#include <gtest/gtest.h>

#include <chrono>
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

/// A scheduler in a loop of its own, with a cache of `num_blocks` or of what the executor says.
struct Loop {
  Loop(const MakeOperator& make, const ExecutorInfo& info, std::int64_t num_blocks = 0)
      : op(make()), cache(num_blocks == 0 ? info.num_blocks : num_blocks), executor(info) {
    scheduler = dynamic_cast<Scheduler*>(op.get());
    if (scheduler) loop.emplace(*scheduler, cache, executor, sampler);
  }

  void admit(const std::vector<TokenizedRequestPtr>& requests) {
    for (const auto& request : requests)
      scheduler->admit(request, kStart, events);
  }

  void lose_executor() {
    executor.forget();
    scheduler->step_lost(kStart);
    cache.reset();
  }

  void run() {
    for (int turns = 0; scheduler->has_work(); ++turns) {
      ASSERT_LT(turns, 10000) << "no end of turns";
      loop->turn(kStart, events);
      const auto good = scheduler->check();
      ASSERT_TRUE(good) << good.error().message();
    }
    EXPECT_EQ(cache.stats().blocks_used, 0) << "blocks were not given back";
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

using Requests = std::vector<TokenizedRequestPtr>;
using Tokens = std::map<std::uint64_t, std::vector<TokenId>>;

Requests make_requests(const ExecutorInfo& info) {
  Requests requests;
  for (std::uint64_t id = 1; id <= 5; ++id)  // the first one has a prompt of a single token
    requests.push_back(make_request(id, 1 + (id - 1) * 11, 8, info.vocab_size));
  return requests;
}

void check_idle(const MakeOperator& make, const ExecutorInfo& info) {
  Loop idle(make, info);
  ASSERT_NE(idle.scheduler, nullptr);
  EXPECT_FALSE(idle.scheduler->has_work());
  EXPECT_FALSE(idle.scheduler->next_deadline());
  idle.scheduler->cancel(RequestId{99}, std::nullopt, kStart, idle.events);  // unknown: ignored
  EXPECT_TRUE(idle.events.events.empty());
}

/// Each request gets the tokens it gets alone.
Tokens check_company(const MakeOperator& make, const ExecutorInfo& info) {
  const auto requests = make_requests(info);
  Loop all(make, info);
  all.admit(requests);
  all.run();
  all.expect_one_end_each();
  const auto together = all.tokens();
  EXPECT_EQ(together.size(), requests.size());
  for (const auto& request : requests) {
    Loop alone(make, info);
    alone.admit({request});
    alone.run();
    const auto id = request->request->context->id.value;
    EXPECT_EQ(alone.tokens(), (Tokens{std::pair{id, together.at(id)}}));
  }
  return together;
}

/// A cache that holds the longest request and little more: they take turns, and nothing changes.
void check_small_cache(const MakeOperator& make, const ExecutorInfo& info, const Tokens& expected) {
  Loop small(make, info, 5);
  small.admit(make_requests(info));
  small.run();
  small.expect_one_end_each();
  EXPECT_EQ(small.tokens(), expected);
}

/// A step that fails and an executor that dies, at any turn, cost time and nothing else.
void check_faults(const MakeOperator& make, const ExecutorInfo& info, const Tokens& expected) {
  for (int when = 0; when < 12; ++when)
    for (const bool dies : {false, true}) {
      Loop faulty(make, info);
      faulty.admit(make_requests(info));
      for (int turn = 0; turn < when && faulty.scheduler->has_work(); ++turn)
        faulty.loop->turn(kStart, faulty.events);
      if (dies) faulty.lose_executor();
      faulty.executor.on_step = [&, failing = faulty.executor.steps + 1](const StepPlan&) {
        return !dies && faulty.executor.steps == failing
                   ? std::optional(Error(ErrorCode::device, "a passing fault"))
                   : std::nullopt;
      };
      faulty.run();
      faulty.expect_one_end_each();
      EXPECT_EQ(faulty.tokens(), expected) << "a fault in turn " << when;
    }
}

/// Another scheduler goes on from the journal.
void check_hand_over(const MakeOperator& make, const ExecutorInfo& info, const Tokens& expected) {
  for (int when = 0; when < 12; ++when) {
    Loop first(make, info), second(make, info);
    first.admit(make_requests(info));
    for (int turn = 0; turn < when && first.scheduler->has_work(); ++turn)
      first.loop->turn(kStart, first.events);
    const auto restored = second.scheduler->restore(first.scheduler->journal(), kStart);
    ASSERT_TRUE(restored) << restored.error().message();
    second.events = first.events;
    second.run();
    second.expect_one_end_each();
    EXPECT_EQ(second.tokens(), expected) << "handed over in turn " << when;
  }
}

/// A cancelled request gives everything back, whenever that is.
void check_cancel(const MakeOperator& make, const ExecutorInfo& info) {
  for (int when = 0; when < 6; ++when) {
    Loop loop(make, info);
    loop.admit({make_request(6, 20, 80, info.vocab_size)});
    for (int turn = 0; turn < when && loop.scheduler->has_work(); ++turn)
      loop.loop->turn(kStart, loop.events);
    if (!loop.scheduler->has_work()) return;  // it has ended by itself
    loop.scheduler->cancel(RequestId{6}, std::nullopt, kStart, loop.events);
    loop.scheduler->cancel(RequestId{6}, std::nullopt, kStart, loop.events);
    loop.run();
    loop.expect_one_end_each();
    EXPECT_EQ(loop.events.events.back().finish, FinishReason::cancelled);
  }
}

/// A deadline ends its request and no other.
void check_deadline(const MakeOperator& make, const ExecutorInfo& info, const Tokens& expected) {
  Loop loop(make, info);
  const auto late = make_request(7, 20, -1, info.vocab_size);
  auto request = std::make_shared<Request>(*late->request);
  request->deadline = kStart + std::chrono::milliseconds(5);
  request->stop.ignore_eos = true;
  auto tokenized = std::make_shared<TokenizedRequest>(*late);
  tokenized->request = request;
  loop.admit({tokenized, make_requests(info)[1]});
  loop.loop->turn(kStart, loop.events);
  EXPECT_EQ(loop.scheduler->next_deadline(), request->deadline);
  loop.scheduler->expire(*request->deadline, loop.events);
  EXPECT_FALSE(loop.scheduler->next_deadline());
  loop.run();
  loop.expect_one_end_each();
  EXPECT_EQ(loop.tokens().at(2), expected.at(2));
}

/// Every choice of a request ends once, and the first is what the request gets without others.
void check_choices(const MakeOperator& make, const ExecutorInfo& info, const Tokens& expected) {
  const auto one = make_requests(info)[3];
  auto request = std::make_shared<Request>(*one->request);
  request->n = 3;
  auto tokenized = std::make_shared<TokenizedRequest>(*one);
  tokenized->request = request;
  Loop loop(make, info);
  loop.admit({tokenized});
  loop.run();
  loop.expect_one_end_each();
  std::map<std::int32_t, int> ends;
  std::vector<TokenId> first;
  for (const auto& event : loop.events.events) {
    ends[event.choice] += event.finish != FinishReason::none ? 1 : 0;
    if (event.choice == 0)
      first.insert(first.end(), event.token_ids.begin(), event.token_ids.end());
  }
  EXPECT_EQ(ends, (std::map<std::int32_t, int>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(first, expected.at(4));
}

}  // namespace

void check_scheduler(const MakeOperator& make, const Resources& resources) {
  const auto info = resources.executor_info();
  ASSERT_TRUE(info) << info.error().message();
  check_idle(make, *info);
  if (::testing::Test::HasFatalFailure()) return;
  const auto expected = check_company(make, *info);
  check_small_cache(make, *info, expected);
  check_faults(make, *info, expected);
  check_hand_over(make, *info, expected);
  check_cancel(make, *info);
  check_deadline(make, *info, expected);
  check_choices(make, *info, expected);
}

}  // namespace troupe::testing
