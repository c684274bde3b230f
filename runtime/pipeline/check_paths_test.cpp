#include "troupe/pipeline/testing/graph_of.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

const std::vector<std::string> kLoop = {"tokenizer", "scheduler", "kv_cache", "executor",
                                        "sampler"};
const std::vector<std::string> kLoopFlow = {"tokenizer <-> scheduler <-> kv_cache",
                                            "scheduler -> executor -> sampler -> scheduler"};

/// The faults of a pipeline with one token loop and more around it.
std::string fault(std::vector<std::string> operators, std::vector<std::string> flow) {
  operators.insert(operators.end(), kLoop.begin(), kLoop.end());
  flow.insert(flow.end(), kLoopFlow.begin(), kLoopFlow.end());
  Diagnostics diagnostics;
  const auto graph = testing::graph_of(operators, flow, diagnostics);
  check_ports(graph, diagnostics);
  EXPECT_EQ(testing::message_of(diagnostics), "");
  check_paths(graph, diagnostics);
  return testing::message_of(diagnostics);
}

TEST(CheckPaths, AcceptsDoorsThatShareTheirWay) {
  EXPECT_EQ(fault({"a:ingress", "b:ingress", "s:stage"}, {"a, b -> s -> tokenizer -> s -> a, b"}),
            "");
}

TEST(CheckPaths, AcceptsSeveralWaysIn) {
  EXPECT_EQ(
      fault({"a:ingress", "r:router", "s:stage", "t:stage"}, {"a -> r -> s, t -> tokenizer -> a"}),
      "");
}

TEST(CheckPaths, RefusesTwoWaysBackToOneDoor) {
  EXPECT_EQ(
      fault({"a:ingress", "s:stage"}, {"a -> tokenizer -> a", "tokenizer -> s -> a"}),
      "flow:2:12: events from 'tokenizer' to 'a' have a second way, through 's'; expected one "
      "way from each operator to each ingress");
}

TEST(CheckPaths, RefusesADiamondOfStagesOnTheWayBack) {
  EXPECT_NE(
      fault({"a:ingress", "s:stage", "t:stage", "u:stage"}, {"a -> tokenizer -> s -> t, u -> a"}),
      "");
}

TEST(CheckPaths, RefusesRequestsInACircle) {
  EXPECT_EQ(
      fault({"a:ingress", "r:router", "s:stage"}, {"a -> r -> s -> r -> tokenizer -> a"}),
      "flow:1:14: Request goes round in a circle: r -> s -> r; expected a way that ends; only "
      "the token loop of a scheduler is a circle");
}

TEST(CheckPaths, RefusesEventsInACircle) {
  EXPECT_NE(fault({"a:ingress", "s:stage", "t:stage"},
                  {"a -> tokenizer -> s -> t -> a", "t.events -> s.events"})
                .find("TextEvent goes round in a circle: s -> t -> s"),
            std::string::npos);
}

TEST(CheckPaths, RefusesAnswersThatGoToAnotherDoor) {
  const auto text = fault({"a:ingress", "b:ingress", "tok2:tokenizer", "sched2:scheduler",
                           "kv2:kv_cache", "exec2:executor", "samp2:sampler"},
                          {"a -> tokenizer -> b", "b -> tok2 -> a", "tok2 <-> sched2 <-> kv2",
                           "sched2 -> exec2 -> samp2 -> sched2"});
  EXPECT_NE(text.find("g:1:1: requests of ingress 'a' reach scheduler 'scheduler', but no answer "
                      "comes back: its events go to b; expected a way of events from scheduler to "
                      "a"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("g:1:1: events of scheduler 'sched2' lead to ingress 'a', which sends it no "
                      "requests"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace troupe::pipeline
