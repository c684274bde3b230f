#include "troupe/pipeline/testing/graph_of.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

std::string fault(const std::vector<std::string>& operators, const std::vector<std::string>& flow) {
  Diagnostics diagnostics;
  const auto graph = testing::graph_of(operators, flow, diagnostics);
  check_ports(graph, diagnostics);
  return testing::message_of(diagnostics);
}

const std::vector<std::string> kSix = {"ingress",  "tokenizer", "scheduler",
                                       "kv_cache", "executor",  "sampler"};
const std::string kLoop = "scheduler -> executor -> sampler -> scheduler";

TEST(CheckPorts, AcceptsTheSmallestPipeline) {
  EXPECT_EQ(fault(kSix, {"ingress <-> tokenizer <-> scheduler <-> kv_cache", kLoop}), "");
}

TEST(CheckPorts, TellsOfAMissingWireOnce) {
  EXPECT_EQ(fault(kSix, {"ingress <-> tokenizer <-> scheduler <-> kv_cache",
                         "scheduler -> executor -> sampler"}),
            "g:6:1: output 'sampled' (SampledTokens) of sampler 'sampler' is not wired; expected a "
            "wire such as \"sampler -> scheduler\"");
}

TEST(CheckPorts, TellsOfAnInputWhoseSenderIsNotThere) {
  EXPECT_EQ(fault({"sampler", "scheduler"}, {"sampler -> scheduler"}).substr(0, 67),
            "g:1:1: input 'logits' (Logits) of sampler 'sampler' is not wired; e");
}

TEST(CheckPorts, RefusesASecondWireAtASinglePort) {
  EXPECT_EQ(
      fault({"ingress", "s:stage", "t:stage"}, {"ingress -> s", "ingress -> t", "s, t -> ingress"})
          .substr(0, 93),
      "flow:2:10: output 'requests' (Request) of ingress 'ingress' has a second wire, to 't' "
      "besides");
}

TEST(CheckPorts, WantsStagesToPassOnWhatTheyTake) {
  EXPECT_NE(fault({"ingress", "s:stage"}, {"ingress -> s"})
                .find("output 'requests' (Request) of stage 's' is not wired, but input 'requests' "
                      "(Request) is"),
            std::string::npos);
}

TEST(CheckPorts, TellsOfAnOperatorOutsideTheFlow) {
  auto seven = kSix;
  seven.push_back("guard:stage");
  EXPECT_EQ(
      fault(seven, {"ingress <-> tokenizer <-> scheduler <-> kv_cache", kLoop}),
      "g:7:1: stage 'guard' is in no line of 'flow'; expected to be wired, or its table to be "
      "removed");
}

TEST(CheckPorts, SaysNothingOfOperatorsWhoseLineWasFaulty) {
  const auto text = fault(kSix, {"ingress <-> tokenizer <-> scheduler <-> kvcache", kLoop});
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

}  // namespace
}  // namespace troupe::pipeline
