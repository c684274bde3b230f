#include "troupe/actors/routes.h"

#include <gtest/gtest.h>

namespace troupe::actors {
namespace {

using pipeline::PipelineSpec;

PipelineSpec spec_of(const std::vector<OperatorKind>& kinds) {
  PipelineSpec spec;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    pipeline::PipelineOperator op;
    op.name = "op" + std::to_string(i);
    op.kind = kinds[i];
    spec.operators.push_back(std::move(op));
  }
  return spec;
}

void wire(PipelineSpec& spec, std::size_t from, std::size_t to, MessageType message) {
  pipeline::Wire wire;
  wire.from.op = from;
  wire.to.op = to;
  wire.message = message;
  spec.wires.push_back(std::move(wire));
}

TEST(Routes, LeadEventsToEachDoorByTheHopThatReachesIt) {
  // scheduler 0 -> tokenizer 1 -> guard 2 -> door 3; tokenizer 1 -> door 4
  using enum OperatorKind;
  auto spec = spec_of({scheduler, tokenizer, stage, ingress, ingress});
  wire(spec, 0, 1, MessageType::token_event);
  wire(spec, 1, 2, MessageType::text_event);
  wire(spec, 2, 3, MessageType::text_event);
  wire(spec, 1, 4, MessageType::text_event);
  EXPECT_EQ(event_routes(spec, 0), (std::map<std::size_t, std::size_t>{{3, 1}, {4, 1}}));
  EXPECT_EQ(event_routes(spec, 1), (std::map<std::size_t, std::size_t>{{3, 2}, {4, 4}}));
  EXPECT_EQ(event_routes(spec, 2), (std::map<std::size_t, std::size_t>{{3, 3}}));
}

TEST(Routes, AreEmptyForAnOperatorThatSendsNoEvents) {
  using enum OperatorKind;
  auto spec = spec_of({ingress, stage});
  wire(spec, 0, 1, MessageType::request);
  EXPECT_TRUE(event_routes(spec, 1).empty());
}

TEST(Routes, KeepTheOrderOfARoutersChoices) {
  using enum OperatorKind;
  auto spec = spec_of({router, tokenizer, tokenizer});
  wire(spec, 0, 2, MessageType::request);
  wire(spec, 0, 1, MessageType::request);
  EXPECT_EQ(request_targets(spec, 0), (std::vector<std::size_t>{2, 1}));
}

}  // namespace
}  // namespace troupe::actors
