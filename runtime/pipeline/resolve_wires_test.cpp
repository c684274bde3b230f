#include "troupe/pipeline/testing/graph_of.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

using testing::graph_of;
using testing::message_of;
using testing::wire_texts;
using Texts = std::vector<std::string>;

Texts wires(const std::vector<std::string>& operators, const std::vector<std::string>& flow) {
  Diagnostics diagnostics;
  const auto graph = graph_of(operators, flow, diagnostics);
  EXPECT_EQ(message_of(diagnostics), "");
  return wire_texts(graph);
}

std::string fault(const std::vector<std::string>& operators, const std::vector<std::string>& flow) {
  Diagnostics diagnostics;
  graph_of(operators, flow, diagnostics);
  return message_of(diagnostics);
}

TEST(ResolveWires, JoinsTheOneOutputAndInputOfTheSameMessage) {
  EXPECT_EQ(wires({"scheduler", "tokenizer"}, {"scheduler -> tokenizer"}),
            (Texts{"scheduler.events -> tokenizer.tokens"}));
}

TEST(ResolveWires, GivesADoubleArrowAWireEachWay) {
  EXPECT_EQ(wires({"scheduler", "kv_cache"}, {"scheduler <-> kv_cache"}),
            (Texts{"scheduler.blocks -> kv_cache.blocks", "kv_cache.grants -> scheduler.grants"}));
}

TEST(ResolveWires, JoinsEachOfAGroupToEachOfTheNext) {
  EXPECT_EQ(wires({"a:ingress", "b:ingress", "x:stage", "y:stage"}, {"a, b -> x, y"}),
            (Texts{"a.requests -> x.requests", "a.requests -> y.requests",
                   "b.requests -> x.requests", "b.requests -> y.requests"}));
}

TEST(ResolveWires, CarriesTheMessageOfALineThroughItsStagesFromEitherEnd) {
  EXPECT_EQ(wires({"ingress", "s:stage", "t:stage", "u:stage"}, {"ingress -> s -> t -> u"}),
            (Texts{"ingress.requests -> s.requests", "s.requests -> t.requests",
                   "t.requests -> u.requests"}));
  EXPECT_EQ(wires({"ingress", "s:stage", "t:stage"}, {"s -> t -> ingress"}),
            (Texts{"s.events -> t.events", "t.events -> ingress.events"}));
}

TEST(ResolveWires, CarriesItThroughARouter) {
  EXPECT_EQ(wires({"s:stage", "r:router", "t:tokenizer"}, {"s -> r -> t"}),
            (Texts{"s.requests -> r.requests", "r.choices -> t.requests"}));
}

TEST(ResolveWires, DoesNotGuessWhereALineLeavesItOpen) {
  EXPECT_EQ(fault({"s:stage", "t:stage"}, {"s -> t"}),
            "flow:1:4: s -> t could be any of s.requests -> t.requests (Request), s.events -> "
            "t.events (TextEvent); expected the port with the name, such as \"s.requests -> "
            "t.requests\"");
}

TEST(ResolveWires, TakesThePortThatIsNamed) {
  EXPECT_EQ(wires({"s:stage", "t:stage"}, {"s.events -> t"}), (Texts{"s.events -> t.events"}));
  EXPECT_EQ(wires({"s:stage", "t:stage"}, {"s -> t.requests"}),
            (Texts{"s.requests -> t.requests"}));
}

TEST(ResolveWires, LetsAPortInTheMiddleMeanTheSideThatHasIt) {
  EXPECT_EQ(
      wires({"ingress", "tokenizer", "scheduler"}, {"ingress -> tokenizer.requests -> scheduler"}),
      (Texts{"ingress.requests -> tokenizer.requests",
             "tokenizer.tokenized -> scheduler.requests"}));
}

TEST(ResolveWires, RefusesANamedPortThatDoesNotFitTheOtherSide) {
  EXPECT_TRUE(fault({"scheduler", "kv_cache"}, {"scheduler.plans -> kv_cache"})
                  .starts_with("flow:1:18: nothing that scheduler 'scheduler' gives is taken by"));
}

TEST(ResolveWires, PointsAtTheNameThatIsWrong) {
  EXPECT_EQ(
      fault({"tokenizer", "scheduler"}, {"tokeniser -> scheduler"}),
      "flow:1:2: there is no operator 'tokeniser'; expected one of tokenizer, scheduler, or a "
      "table [operators.tokeniser]; did you mean 'tokenizer'?");
}

TEST(ResolveWires, GoesOnAfterALineItCannotRead) {
  Diagnostics diagnostics;
  const auto graph = graph_of({"scheduler", "kv_cache", "executor"},
                              {"scheduler >> kv_cache", "scheduler -> executor"}, diagnostics);
  EXPECT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(wire_texts(graph), (Texts{"scheduler.plans -> executor.plans"}));
}

}  // namespace
}  // namespace troupe::pipeline
