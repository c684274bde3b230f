#include "runtime_fixture.h"

#include <future>
#include <stdexcept>
#include <thread>

namespace troupe::testing {
namespace {

using Faults = RuntimeTest;

TEST_F(Faults, OfAStageCostOnlyTheRequestThatMetThem) {
  script().on_request = [](Request& request) -> StageVerdict {
    if (request.client_id == "bad") throw std::runtime_error("planted fault");
    return StageVerdict::pass();
  };
  auto engine = open(plain_pipeline());
  auto bad = request("hello");
  bad.client_id = "bad";
  const auto answer = run(*engine, std::move(bad));
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->code(), ErrorCode::internal);
  EXPECT_EQ(answer.error->message(), "guard: the plugin threw: planted fault");
  EXPECT_EQ(run(*engine, request("hello", 8)).choices.at(0).token_ids, expected_ids("hello", 8));
}

TEST_F(Faults, BeyondTheRestartBudgetStopTheOperatorAndSaySo) {
  script().on_request = [](Request&) -> StageVerdict { throw 7; };
  std::promise<std::string> failed;
  Engine::Options options;
  options.on_failure = [&](const std::string& name, const Error& error) {
    failed.set_value(name + ": " + error.message());
  };
  auto engine = open(plain_pipeline(), options);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(run(*engine, request("hello")).error);
  EXPECT_TRUE(run(*engine, request("hello")).error);  // the fourth within the minute
  EXPECT_NE(failed.get_future().get().find("guard: stopped after 3 restarts within 60 s"),
            std::string::npos);
  const auto refused = run(*engine, request("hello"));
  ASSERT_TRUE(refused.error);
  EXPECT_NE(refused.error->message().find("stopped after 3 restarts"), std::string::npos);
}

TEST_F(Faults, OfAnExecutorInMidStreamChangeNoToken) {
  for (const int step : {1, 2, 5, 9}) {
    reset_script();
    script().executor_throws_at_step = step;
    auto engine = open(plain_pipeline());
    const auto answer = run(*engine, request("hello", 20));
    ASSERT_FALSE(answer.error) << answer.error->message();
    EXPECT_EQ(answer.choices.at(0).token_ids, expected_ids("hello", 20)) << step;
    EXPECT_EQ(script().executors_made, 2);
  }
}

TEST_F(Faults, OfAnExecutorForGoodEndEveryRequestWithAnError) {
  script().executor_always_fails = true;
  auto engine = open(plain_pipeline());
  const auto answer = run(*engine, request("hello"));
  ASSERT_TRUE(answer.error);
  EXPECT_NE(answer.error->message().find("executor died twice"), std::string::npos)
      << answer.error->message();
  EXPECT_TRUE(run(*engine, request("again")).error);
  const auto refused = run(*engine, request("and again"));
  ASSERT_TRUE(refused.error);
  EXPECT_NE(refused.error->message().find("executor: stopped after 3 restarts"), std::string::npos)
      << refused.error->message();
  EXPECT_TRUE(becomes_idle(*engine));
}

TEST_F(Faults, OfATokenizerCostOnlyTheRequestThatMetThem) {
  auto engine = open(plain_pipeline());
  EXPECT_EQ(run(*engine, request("oh!")).error->message(),
            "tokenizer: the plugin threw: planted fault");
  EXPECT_EQ(run(*engine, request("hello", 8)).choices.at(0).token_ids, expected_ids("hello", 8));
}

TEST_F(Faults, OfAStageOnAnEventEndThatRequest) {
  script().on_event = [](TokenEvent& event) {
    if (event.number == 2) throw std::runtime_error("planted fault");
  };
  auto engine = open(plain_pipeline());
  const auto answer = run(*engine, request("hello", 20));
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->message(), "guard: the plugin threw: planted fault");
  script().on_event = nullptr;
  EXPECT_EQ(run(*engine, request("hello", 8)).choices.at(0).token_ids, expected_ids("hello", 8));
  EXPECT_TRUE(becomes_idle(*engine));
}

TEST_F(Faults, OfAStageOnAnEventFreeWhatTheRequestHeld) {
  script().executor_step_us = 200;
  script().on_event = [](TokenEvent& event) {
    if (event.client_id == "bad") throw std::runtime_error("planted fault");
  };
  auto engine = open(plain_pipeline());
  auto bad = request("hello", 900);
  bad.client_id = "bad";
  ASSERT_TRUE(run(*engine, std::move(bad)).error);
  for (int i = 0; i < 1000 && stat(*engine, "kv", "blocks_used") > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(stat(*engine, "kv", "blocks_used"), 0);
  EXPECT_EQ(stat(*engine, "scheduler", "running"), 0);
  EXPECT_EQ(stat(*engine, "guard", "restarts"), 1);
}

TEST_F(Faults, OfAStageOnTheLastEventAreForgottenWithIt) {
  script().on_event = [](TokenEvent& event) {
    if (event.last) throw std::runtime_error("planted fault");
  };
  auto engine = open(plain_pipeline());
  EXPECT_TRUE(run(*engine, request("hello", 3)).error);
  EXPECT_EQ(stat(*engine, "guard", "dropping"), 0);
}

TEST_F(Faults, OfAStageDropWhatTheSameMessageStillHoldsOfTheRequest) {
  script().on_event = [](TokenEvent& event) {
    if (event.client_id == "bad" && event.choice == 0) throw std::runtime_error("planted fault");
  };
  auto engine = open(plain_pipeline());
  auto bad = request("hello", 1);  // both choices end in one step, and so in one message
  bad.client_id = "bad";
  bad.n = 2;
  EXPECT_TRUE(run(*engine, std::move(bad)).error);
  EXPECT_EQ(run(*engine, request("hello", 8)).choices.at(0).token_ids, expected_ids("hello", 8));
  EXPECT_EQ(stat(*engine, "guard", "dropping"), 0);
  EXPECT_EQ(stat(*engine, "client", "late_events"), 0);
}

TEST_F(Faults, OfAStageForGoodLetNoTextByUnseen) {
  script().executor_step_us = 500;
  script().on_event = [](TokenEvent& event) {
    if (event.client_id == "bad") throw std::runtime_error("planted fault");
  };
  auto engine = open([] {
    auto toml = plain_pipeline();
    const std::string table = "[operators.guard]\n";
    return toml.insert(toml.find(table) + table.size(), "restart = { max = 0 }\n");
  }());
  std::promise<TokenEvent> last;
  std::atomic<bool> running{false};
  ASSERT_TRUE(engine->submit(request("hello", 900), [&](const TokenEvent& event) {
    running = true;
    if (event.last) last.set_value(event);
  }));
  while (!running)
    std::this_thread::yield();
  auto bad = request("hello", 3);
  bad.client_id = "bad";
  EXPECT_TRUE(run(*engine, std::move(bad)).error);
  const auto end = last.get_future().get();
  ASSERT_TRUE(end.error);
  EXPECT_NE(end.error->message().find("guard: stopped after 0 restarts"), std::string::npos)
      << end.error->message();
}

TEST_F(Faults, EndARequestWithTheNumberThatComesNext) {
  script().executor_throws_at_step = 5;
  auto engine = open([] {
    auto toml = plain_pipeline();
    const std::string table = "[operators.executor]\n";
    return toml.insert(toml.find(table) + table.size(), "restart = { max = 0 }\n");
  }());
  std::vector<TokenEvent> events;
  std::promise<void> ended;
  ASSERT_TRUE(engine->submit(request("hello", 20), [&](const TokenEvent& event) {
    events.push_back(event);
    if (event.last) ended.set_value();
  }));
  ended.get_future().wait();
  ASSERT_GT(events.size(), 1u);
  EXPECT_TRUE(events.back().error);
  EXPECT_EQ(events.back().number, events.size() - 1);
  EXPECT_EQ(stat(*engine, "kv", "blocks_used"), 0);
}

TEST_F(Faults, OfASamplerThatDrawsTooFewEndTheRequestsOfThatStep) {
  script().sampler_draws_too_few = true;
  auto engine = open(plain_pipeline());
  const auto answer = run(*engine, request("hello"));
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->message(), "sampler: the plugin drew 0 tokens for 1 rows");
  script().sampler_draws_too_few = false;
  EXPECT_EQ(run(*engine, request("hello", 8)).choices.at(0).token_ids, expected_ids("hello", 8));
}

TEST_F(Faults, AStageMayRefuseOrReply) {
  script().on_request = [](Request& request) -> StageVerdict {
    if (request.client_id == "refuse")
      return StageVerdict::refuse(Error(ErrorCode::invalid_argument, "not that"));
    return StageVerdict::reply("a fixed answer");
  };
  auto engine = open(plain_pipeline());
  auto refused = request("hello");
  refused.client_id = "refuse";
  EXPECT_EQ(run(*engine, std::move(refused)).error->message(), "not that");
  const auto answer = run(*engine, request("hello"));
  EXPECT_EQ(answer.choices.at(0).text, "a fixed answer");
  EXPECT_EQ(answer.choices.at(0).finish, FinishReason::stop);
}

}  // namespace
}  // namespace troupe::testing
