#include "troupe/scheduling/line.h"

#include "troupe/api/request.h"

#include <gtest/gtest.h>

#include <deque>

namespace troupe::scheduling {
namespace {

/// Lanes by tenant, ranks by priority, tenant "b" with twice the weight.
struct TenantsAndPriorities : Policy {
  double rank(const Group& group) const override { return -group.params().priority; }
  std::string_view lane(const Request& request) const override { return request.tenant; }
  double weight(std::string_view lane) const override { return lane == "b" ? 2 : 1; }
};

class Lines : public ::testing::Test {
 protected:
  Lines() { line.set_policy(&policy); }

  Group& arrive(const std::string& tenant, std::int32_t priority = 0, std::size_t prompt = 10) {
    auto request = std::make_shared<Request>();
    request->tenant = tenant;
    request->priority = priority;
    auto tokenized = std::make_shared<TokenizedRequest>();
    tokenized->request = request;
    tokenized->prompt_ids.assign(prompt, 1);
    Group& group = groups.emplace_back();
    group.request = tokenized;
    group.num_prompt = prompt;
    group.arrival = groups.size();
    group.sequences.resize(1);
    group.sequences[0].group = &group;
    group.sequences[0].id = SequenceId{group.arrival};
    group.sequences[0].ids = tokenized->prompt_ids;
    line.enter(group);
    line.push(group.sequences[0]);
    return group;
  }

  /// Arrival numbers in the order of a walk, each taking `tokens`.
  std::vector<std::uint64_t> walk(std::int64_t tokens) {
    EXPECT_TRUE(line.check());
    std::vector<std::uint64_t> order;
    line.begin_walk();
    for (Sequence* next = line.first(); next != nullptr; next = line.first()) {
      order.push_back(next->group->arrival);
      line.take(tokens);
    }
    return order;
  }

  TenantsAndPriorities policy;
  Line line;
  std::deque<Group> groups;
};

using Order = std::vector<std::uint64_t>;

TEST_F(Lines, WithinALaneRankThenArrivalCount) {
  arrive("a");
  arrive("a", 2);
  arrive("a", 1);
  arrive("a", 2);
  EXPECT_EQ(walk(1), (Order{2, 4, 3, 1}));
}

TEST_F(Lines, LanesTakeTurnsByTheirWeight) {
  for (int i = 0; i < 3; ++i)
    arrive("a");
  for (int i = 0; i < 6; ++i)
    arrive("b");
  EXPECT_EQ(walk(10), (Order{1, 4, 5, 2, 6, 7, 3, 8, 9}));
}

TEST_F(Lines, WhatWasChargedDecidesWhoIsNext) {
  Group& a = arrive("a");
  arrive("b");
  line.charge(a, 5);
  EXPECT_EQ(walk(1), (Order{2, 1}));
}

TEST_F(Lines, ALaneThatWasIdleGetsNoArrears) {
  Group& a = arrive("a");
  line.charge(a, 1000);
  Group& c = arrive("c");  // begins where the least used lane is
  EXPECT_EQ(c.lane->used, 1000);
  line.charge(a, 10);
  EXPECT_EQ(walk(1), (Order{2, 1}));
}

TEST_F(Lines, ALaneKeepsItsDebtWhileItIsIdle) {
  Group& a = arrive("a");
  arrive("b");
  line.charge(a, 1000);
  line.remove(a.sequences[0]);
  line.leave(a);
  arrive("a");
  EXPECT_EQ(walk(1), (Order{2, 3}));
}

TEST_F(Lines, FindsTheFirstOfAKindAcrossLanes) {
  arrive("a");
  arrive("b", 1);
  EXPECT_EQ(line.find([](const Sequence&) { return true; })->group->arrival, 2u);
  EXPECT_EQ(line.find([](const Sequence&) { return false; }), nullptr);
}

TEST_F(Lines, ForgetsIdleLanesAndNeverThoseInUse) {
  Group& kept = arrive("kept");
  for (int i = 0; i < 3000; ++i) {
    Group& group = arrive("tenant " + std::to_string(i));
    line.remove(group.sequences[0]);
    line.leave(group);
  }
  EXPECT_EQ(line.num_waiting_in("kept"), 1);
  EXPECT_EQ(kept.lane->name, "kept");
  EXPECT_EQ(line.size(), 1);
  EXPECT_EQ(line.num_tokens(), 10);
}

TEST_F(Lines, TheCheckSeesASequenceThatChangedInLine) {
  Group& a = arrive("a");
  a.sequences[0].ids.push_back(1);
  EXPECT_FALSE(line.check());
  a.sequences[0].ids.pop_back();
  a.sequences[0].state = State::running;
  EXPECT_FALSE(line.check());
}

}  // namespace
}  // namespace troupe::scheduling
