#include "runtime_fixture.h"

#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace troupe::testing {
namespace {

using Requests = RuntimeTest;

TEST_F(Requests, GetTheTokensThatTheModelAloneWouldGive) {
  auto engine = open(plain_pipeline());
  const auto answer = run(*engine, request("hello", 20));
  ASSERT_FALSE(answer.error) << answer.error->message();
  ASSERT_EQ(answer.choices.size(), 1u);
  EXPECT_EQ(answer.choices[0].token_ids, expected_ids("hello", 20));
  EXPECT_EQ(answer.usage.prompt_tokens, 5);
  EXPECT_EQ(answer.usage.completion_tokens,
            static_cast<std::int64_t>(answer.choices[0].token_ids.size()));
  EXPECT_GT(answer.timings.e2e_ms, 0);
}

TEST_F(Requests, GetTheSameTokensInAnyCompany) {
  auto engine = open(plain_pipeline());
  std::mutex mutex;
  std::condition_variable changed;
  std::map<int, Answer> answers;
  std::set<int> ended;
  constexpr int kCount = 64;
  for (int i = 0; i < kCount; ++i) {
    auto id = engine->submit(request("prompt " + std::to_string(i), 5 + i),
                             [&, i](const TokenEvent& event) {
                               const std::lock_guard guard(mutex);
                               answers[i].add(event);
                               if (event.last) ended.insert(i);
                               changed.notify_one();
                             });
    ASSERT_TRUE(id) << id.error().message();
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return ended.size() == kCount; });
  for (int i = 0; i < kCount; ++i) {
    ASSERT_FALSE(answers[i].error) << answers[i].error->message();
    EXPECT_EQ(answers[i].choices.at(0).token_ids,
              expected_ids("prompt " + std::to_string(i), 5 + i))
        << i;
  }
}

TEST_F(Requests, GetOneLastEventWithNumbersInOrder) {
  auto engine = open(plain_pipeline());
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<TokenEvent> events;
  ASSERT_TRUE(engine->submit(request("abc", 30), [&](const TokenEvent& event) {
    const std::lock_guard guard(mutex);
    events.push_back(event);
    changed.notify_one();
  }));
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return !events.empty() && events.back().last; });
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].number, i);
    EXPECT_EQ(events[i].last, i + 1 == events.size());
  }
}

TEST_F(Requests, ThatTheClientTakesBackEndAsCancelled) {
  script().executor_step_us = 500;
  auto engine = open(plain_pipeline());
  std::promise<FinishReason> ended;
  std::atomic<bool> running{false};
  auto id = engine->submit(request("long", 900), [&](const TokenEvent& event) {
    if (event.last) ended.set_value(event.finish);
    running = true;
  });
  ASSERT_TRUE(id);
  while (!running)
    std::this_thread::yield();
  engine->cancel(*id);
  engine->cancel(*id);
  EXPECT_EQ(ended.get_future().get(), FinishReason::cancelled);
  engine->cancel(*id);
  EXPECT_TRUE(becomes_idle(*engine));
  EXPECT_EQ(run(*engine, request("hello", 9)).choices.at(0).token_ids, expected_ids("hello", 9));
}

TEST_F(Requests, ThatTheTokenizerRefusesEndWithItsError) {
  auto engine = open(plain_pipeline());
  const auto answer = run(*engine, request("what?"));
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->code(), ErrorCode::invalid_argument);
  EXPECT_EQ(answer.error->message(), "found '?'; expected letters");
}

TEST_F(Requests, AreRefusedWhenAQueueIsFull) {
  script().executor_blocks = true;
  auto engine = open([] {
    auto toml = plain_pipeline();
    const std::string table = "[operators.scheduler]\n";
    return toml.insert(toml.find(table) + table.size(), "mailbox = 4\n");
  }());
  std::atomic<int> refused{0}, ended{0};
  constexpr int kCount = 40;
  for (int i = 0; i < kCount; ++i)
    ASSERT_TRUE(engine->submit(request("x", 3), [&](const TokenEvent& event) {
      if (!event.last) return;
      if (event.error && event.error->code() == ErrorCode::resource_exhausted &&
          event.retry_after_ms > 0)
        ++refused;
      ++ended;
    }));
  while (refused == 0)
    std::this_thread::yield();
  script().executor_blocks = false;
  while (ended < kCount)
    std::this_thread::yield();
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, kCount);
}

TEST_F(Requests, ThatRunAreNotHeldBackByPromptsThatQueueUp) {
  script().tokenizer_blocks = true;
  auto engine = open([] {
    auto toml = plain_pipeline();
    const std::string table = "[operators.tokenizer]\n";
    return toml.insert(toml.find(table) + table.size(), "mailbox = 2\n");
  }());
  std::promise<void> ended;
  std::atomic<bool> running{false};
  script().executor_step_us = 1000;
  ASSERT_TRUE(engine->submit(request("now", 60), [&](const TokenEvent& event) {
    running = true;
    if (event.last) ended.set_value();
  }));
  while (!running)
    std::this_thread::yield();
  std::atomic<int> others{0};
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(engine->submit(request("later", 2),
                               [&](const TokenEvent& event) { others += event.last; }));
  EXPECT_EQ(ended.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_LT(others, 4);
  script().tokenizer_blocks = false;
  while (others < 4)
    std::this_thread::yield();
}

TEST_F(Requests, GoToTheModelTheyName) {
  std::string flow, operators;
  for (const std::string m : {"a", "b"}) {
    flow += "\"router -> " + m + " -> s" + m + "\", \"s" + m + " <-> k" + m + "\", \"s" + m +
            " -> e" + m + " -> p" + m + " -> s" + m + "\", \"s" + m + " -> " + m +
            " -> client\",\n";
    operators += "[operators." + m + "]\nkind='tokenizer'\nplugin='letters'\n[operators.s" + m +
                 "]\nkind='scheduler'\nplugin='continuous'\n[operators.k" + m +
                 "]\nkind='kv_cache'\nplugin='paged'\n" + "[operators.e" + m +
                 "]\nkind='executor'\nplugin='fake'\n[operators.p" + m +
                 "]\nkind='sampler'\nplugin='scripted'\n";
  }
  auto engine = open(
      "[pipeline]\nname='two'\napi=1\nflow=[\"client -> router\",\n" + flow +
      "]\n[operators.client]\nkind='ingress'\nplugin='embed'\n[operators.router]\nkind='router'\n"
      "plugin='first'\n" +
      operators);
  ASSERT_TRUE(engine);
  for (const std::string m : {"a", "b", "c"}) {
    auto wanted = request("hello", 7);
    wanted.model = m;
    const auto answer = run(*engine, std::move(wanted));
    if (m == "c") {
      ASSERT_TRUE(answer.error);
      EXPECT_EQ(answer.error->message(), "there is no model 'c'");
    } else {
      EXPECT_EQ(answer.choices.at(0).token_ids, expected_ids("hello", 7));
    }
  }
  // However a request ends, the router counts it no longer.
  auto refused = request("what?");
  refused.model = "a";
  EXPECT_TRUE(run(*engine, std::move(refused)).error);
  for (int i = 0; i < 1000; ++i) {
    auto probe = request("hello", 1);
    probe.model = "b";
    run(*engine, std::move(probe));
    if (script().router_saw_in_flight == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(script().router_saw_in_flight, 0);
}

}  // namespace
}  // namespace troupe::testing
