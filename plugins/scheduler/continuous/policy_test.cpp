#include "test_rig.h"

namespace troupe::continuous {
namespace {

using Order = std::vector<std::uint64_t>;

Rig::Draft urgent(const Rig& rig, std::uint64_t id, std::int32_t priority,
                  std::int64_t max_tokens = 3) {
  auto draft = rig.draft(id, 5);
  draft->priority = priority;
  draft->stop.max_tokens = max_tokens;
  return draft;
}

Value::Object by_priority(std::int64_t seats, double ageing_ms = 10000, bool preempts = true) {
  return {{"policy", "priority"},
          {"max_num_seqs", seats},
          {"ageing_ms", ageing_ms},
          {"priority_preempts", preempts}};
}

TEST(Priority, TheHighestIsServedFirstAndEqualsInOrderOfArrival) {
  Rig rig(by_priority(1));
  for (const auto& [id, priority] : {std::pair{1, 0}, {2, 1}, {3, 5}, {4, 1}, {5, -1}})
    rig.admit(urgent(rig, static_cast<std::uint64_t>(id), priority));
  rig.run();
  EXPECT_EQ(rig.ends(), (Order{3, 2, 4, 1, 5}));
}

TEST(Priority, WaitingIsWorthALevelEveryAgeingTime) {
  for (const int waited : {19, 21}) {
    Rig rig(by_priority(1, 10, false));
    rig.admit(urgent(rig, 1, 9, 200));  // holds the only seat
    rig.turn();
    rig.admit(urgent(rig, 2, 0));
    rig.ms += waited;
    rig.admit(urgent(rig, 3, 2));
    rig.run();
    EXPECT_EQ(rig.ends(), waited > 20 ? (Order{1, 2, 3}) : (Order{1, 3, 2})) << waited;
  }
}

TEST(Priority, AStreamOfHighPrioritiesDoesNotStarveALowOne) {
  Rig rig(by_priority(1, 50, false));
  rig.admit(urgent(rig, 1, 0));
  std::uint64_t id = 2;
  while (rig.events_of(1).empty()) {
    ASSERT_LT(rig.ms, 1000);
    rig.admit(urgent(rig, id++, 5, 2));  // as many as can be served
    rig.turn();
    rig.turn();
  }
  EXPECT_NEAR(static_cast<double>(rig.ms), 250, 10);  // five levels
}

TEST(Priority, ARequestThatFindsNoSeatStopsOneOfLowerPriority) {
  Rig rig(by_priority(2));
  rig.admit(urgent(rig, 1, 1, 20));
  rig.admit(urgent(rig, 2, 0, 20));
  for (int i = 0; i < 5; ++i)
    rig.turn();
  rig.admit(urgent(rig, 3, 4, 4));
  rig.turn();
  EXPECT_EQ(rig.events_of(3).size(), 1u);  // it started at once
  EXPECT_EQ(rig.scheduler->stats().preemptions, 1);
  rig.run();
  EXPECT_EQ(rig.ends(), (Order{3, 1, 2}));
  EXPECT_EQ(rig.tokens_of(1), alone(1, 5, 20));
  EXPECT_EQ(rig.tokens_of(2), alone(2, 5, 20));
}

TEST(Priority, ARequestThatFindsNoBlocksStopsAsManyAsItNeedsAndNoMore) {
  Rig rig({{"policy", "priority"}}, Rig::executor_of(6));
  for (std::uint64_t id = 1; id <= 3; ++id) {
    auto draft = rig.draft(id, 20);  // two blocks each
    draft->stop.max_tokens = 8;
    rig.admit(draft);
  }
  rig.turn();
  auto large = rig.draft(4, 55);  // four blocks
  large->priority = 1;
  large->stop.max_tokens = 4;
  rig.admit(large);
  rig.turn();  // finds out that it is short
  rig.turn();
  EXPECT_EQ(rig.scheduler->stats().preemptions, 2);
  EXPECT_EQ(rig.scheduler->stats().running, 2);
  rig.run();
  EXPECT_EQ(rig.ends(), (Order{4, 1, 2, 3}));
  for (std::uint64_t id = 1; id <= 3; ++id)
    EXPECT_EQ(rig.tokens_of(id), alone(id, 20, 8));
}

TEST(Priority, NobodyIsStoppedWhereThatWouldNotMakeRoomEnough) {
  Rig rig({{"policy", "priority"}}, Rig::executor_of(6));
  for (std::uint64_t id = 1; id <= 2; ++id) {
    auto draft = rig.draft(id, 40);
    draft->priority = id == 1 ? 5 : 0;
    draft->stop.max_tokens = 8;
    rig.admit(draft);
  }
  rig.turn();
  auto large = rig.draft(3, 60);  // four blocks: the three of request 2 are not enough
  large->priority = 1;
  large->stop.max_tokens = 1;
  rig.admit(large);
  for (int i = 0; i < 4; ++i)
    rig.turn();
  EXPECT_EQ(rig.scheduler->stats().preemptions, 0);
  rig.run();
}

// As they would if what counted were the time waited since each was stopped: it grows while the
// other runs.
TEST(Priority, TwoCannotStopEachOtherInTurn) {
  Rig rig(by_priority(1, 2));
  rig.admit(urgent(rig, 1, 0, 100));
  rig.turn();
  rig.admit(urgent(rig, 2, 1, 100));
  rig.admit(urgent(rig, 3, 2, 100));
  rig.run();
  EXPECT_LE(rig.scheduler->stats().preemptions, 2);
  for (std::uint64_t id = 1; id <= 3; ++id)
    EXPECT_EQ(rig.tokens_of(id), alone(id, 5, 100)) << id;
}

TEST(Priority, ThePreemptionsOfManyAreBoundedByThePairsThatDiffer) {
  Rig rig(by_priority(2, 3), Rig::executor_of(9));
  std::uint64_t id = 0;
  for (int wave = 0; wave < 8; ++wave) {
    for (const std::int32_t priority : {0, 2, 1, 3}) {
      auto draft = rig.draft(++id, 14);
      draft->priority = priority;
      draft->stop.max_tokens = 25;
      rig.admit(draft);
    }
    for (int i = 0; i < 3; ++i)
      rig.turn();
  }
  rig.run();
  EXPECT_LE(rig.scheduler->stats().preemptions, static_cast<std::int64_t>(id * (id - 1) / 2));
  for (std::uint64_t i = 1; i <= id; ++i)
    EXPECT_EQ(rig.tokens_of(i), alone(i, 14, 25)) << i;
}

TEST(EarliestDeadline, ComesFirstAndThoseWithoutComeLast) {
  Rig rig({{"policy", "deadline"}, {"max_num_seqs", 1}});
  for (const auto& [id, seconds] : {std::pair{1, 0}, {2, 9}, {3, 3}, {4, 0}, {5, 5}}) {
    auto draft = urgent(rig, static_cast<std::uint64_t>(id), 0);
    if (seconds > 0) draft->deadline = rig.now() + std::chrono::seconds(seconds);
    rig.admit(draft);
  }
  rig.run();
  EXPECT_EQ(rig.ends(), (Order{3, 5, 2, 1, 4}));
}

/// Tokens that a tenant got in the first `turns` turns, when each has more work than that.
std::map<std::string, std::size_t> shares(const Value::Object& params, int turns) {
  Rig rig(params);
  std::uint64_t id = 0;
  for (int i = 0; i < 60; ++i)
    for (const char* tenant : {"a", "a", "a", "b", "c"}) {  // a floods
      auto draft = rig.draft(++id, 3);
      draft->tenant = tenant;
      draft->stop.max_tokens = 10;
      rig.admit(draft);
    }
  std::map<std::string, std::size_t> made;
  for (int i = 0; i < turns; ++i)
    rig.turn();
  for (const auto& event : rig.events.events) {
    const auto of = (event.context->id.value - 1) % 5;
    made[of < 3 ? "a" : of == 3 ? "b" : "c"] += event.token_ids.size();
  }
  return made;
}

TEST(FairShare, ATenantThatFloodsGetsNoMoreThanTheOthers) {
  const Value::Object params = {{"policy", "fair"}, {"max_num_seqs", 3}};
  auto made = shares(params, 200);
  EXPECT_NEAR(static_cast<double>(made["a"]), static_cast<double>(made["b"]), 20);
  EXPECT_NEAR(static_cast<double>(made["b"]), static_cast<double>(made["c"]), 20);
  made = shares({{"max_num_seqs", 3}}, 200);  // in order of arrival it does
  EXPECT_GT(made["a"], 2 * made["b"]);
}

TEST(FairShare, WeightsDivideTheTokens) {
  const Value::Object params = {
      {"policy", "fair"}, {"max_num_seqs", 3}, {"tenant_weights", Value::Array{Value("b=2")}}};
  auto made = shares(params, 200);
  EXPECT_NEAR(static_cast<double>(made["b"]) / static_cast<double>(made["a"]), 2.0, 0.25);
  EXPECT_NEAR(static_cast<double>(made["c"]) / static_cast<double>(made["a"]), 1.0, 0.15);
}

TEST(FairShare, ALongAnswerCountsAsMuchAsManyShortOnes) {
  Rig rig({{"policy", "fair"}, {"max_num_seqs", 1}});
  const auto admit = [&](std::uint64_t id, const char* tenant, std::int64_t max_tokens) {
    auto draft = rig.draft(id, 3);
    draft->tenant = tenant;
    draft->stop.max_tokens = max_tokens;
    rig.admit(draft);
  };
  admit(1, "long", 50);
  admit(2, "long", 50);
  for (std::uint64_t id = 3; id <= 8; ++id)
    admit(id, "short", 5);
  rig.run();
  EXPECT_EQ(rig.ends(), (Order{1, 3, 4, 5, 6, 7, 8, 2}));
}

TEST(Policies, OfWrongParametersSayWhatIsWrong) {
  const auto refused = [](const Value::Object& params) {
    const std::unique_ptr<Operator> op(troupe_plugin.spec->create());
    const auto good = op->configure(*complete_params(troupe_plugin.spec->params, params));
    return good ? std::string() : good.error().message();
  };
  const auto weights = [](const char* entry) {
    return Value::Object{{"policy", "fair"}, {"tenant_weights", Value::Array{Value(entry)}}};
  };
  EXPECT_EQ(refused(weights("a=1.5")), "");
  EXPECT_NE(refused(weights("a")).find("\"a\": there is no ="), std::string::npos);
  for (const char* bad : {"a=", "a=0", "a=-1", "a=x", "a=1x", "a=inf", "a=nan", "a=1e-7", "a=1e7"})
    EXPECT_NE(refused(weights(bad)).find("no such number"), std::string::npos) << bad;
  EXPECT_NE(
      refused({{"policy", "fair"}, {"tenant_weights", Value::Array{Value("a=1"), Value("a=2")}}})
          .find("has a weight already"),
      std::string::npos);
  EXPECT_NE(refused({{"tenant_weights", Value::Array{Value("a=1")}}}).find("policy = \"fair\""),
            std::string::npos);
}

}  // namespace
}  // namespace troupe::continuous
