#include "troupe/pipeline/testing/graph_of.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

TEST(TokenLoop, HasTheOperatorsOfItsScheduler) {
  Diagnostics diagnostics;
  const auto graph = testing::graph_of({"sampler", "executor", "kv_cache", "drafter", "scheduler"},
                                       {"scheduler <-> kv_cache", "scheduler <-> drafter",
                                        "scheduler -> executor -> sampler -> scheduler"},
                                       diagnostics);
  const auto loops = find_token_loops(graph, diagnostics);
  EXPECT_EQ(testing::message_of(diagnostics), "");
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0], (TokenLoop{4, 2, 1, 0, 3}));
}

TEST(TokenLoop, BelongsToOneScheduler) {
  Diagnostics diagnostics;
  const auto graph = testing::graph_of(
      {"s1:scheduler", "s2:scheduler", "k1:kv_cache", "k2:kv_cache", "e1:executor", "e2:executor",
       "p1:sampler", "p2:sampler"},
      {"s1 -> k1 -> s2 -> k2 -> s1", "s1 -> e1 -> p1 -> s1", "s2 -> e2 -> p2 -> s2"}, diagnostics);
  EXPECT_TRUE(find_token_loops(graph, diagnostics).empty());
  EXPECT_EQ(testing::message_of(diagnostics),
            "flow:1:11: kv_cache 'k1' works for scheduler 's1' but sends BlockGrant to scheduler "
            "'s2'; expected each scheduler to have a token loop of its own, such as \"k1 -> s1\"\n"
            "flow:1:23: kv_cache 'k2' works for scheduler 's2' but sends BlockGrant to scheduler "
            "'s1'; expected each scheduler to have a token loop of its own, such as \"k2 -> s2\"");
}

TEST(TokenLoop, IsRefusedWhenAPluginsOwnPortsLeaveAPartOut) {
  static constexpr PortSpec blocks_only[] = {
      {"blocks", MessageType::block_request, PortSpec::Direction::out},
      {"grants", MessageType::block_grant, PortSpec::Direction::in}};
  Diagnostics diagnostics;
  auto graph =
      testing::graph_of({"scheduler", "kv_cache"}, {"scheduler <-> kv_cache"}, diagnostics);
  graph.nodes[0].ports = blocks_only;
  EXPECT_TRUE(find_token_loops(graph, diagnostics).empty());
  EXPECT_EQ(testing::message_of(diagnostics),
            "g:1:1: scheduler 'scheduler' sends StepPlan to 0 operators; expected exactly one");
}

}  // namespace
}  // namespace troupe::pipeline
