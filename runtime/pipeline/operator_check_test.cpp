#include "troupe/pipeline/operator_check.h"

#include "troupe/pipeline/testing/fake_catalog.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

GivenOperator named(const std::string& name) {
  const SourceLocation where{"f", 1, 1};
  return {name, where, {name, where, {}}, {name, where, {}}};
}

GivenValue text(std::string value) {
  return {Value(std::move(value)), {"f", 2, 1}, {"f", 2, 9}, kPipelineLayer, std::nullopt};
}

CheckedOperator check(const GivenOperator& given, std::string& faults) {
  static const testing::FakeCatalog catalog;
  Diagnostics diagnostics;
  auto checked = check_operator(given, catalog, diagnostics);
  faults = diagnostics.empty() ? "" : diagnostics.to_error().message();
  return checked;
}

TEST(CheckOperator, TakesKindFromTheNameAndFillsInEveryKey) {
  auto given = named("sampler");
  given.fields.give("plugin", text("gumbel"));
  std::string faults;
  const auto checked = check(given, faults);
  EXPECT_EQ(faults, "");
  EXPECT_EQ(checked.op.kind, OperatorKind::sampler);
  EXPECT_EQ(checked.op.mailbox, 1024);
  EXPECT_EQ(checked.op.restart, RestartSpec{});
  EXPECT_EQ(checked.op.params.get_number("floor"), 0.0);
  EXPECT_EQ(checked.keys.size(), 10u);  // eight of every operator, two of the plugin
}

TEST(CheckOperator, LetsTheTableGoBeforeTheName) {
  auto given = named("sampler");
  given.fields.give("kind", text("stage"));
  given.fields.give("plugin", text("guard"));
  std::string faults;
  EXPECT_EQ(check(given, faults).op.kind, OperatorKind::stage);
  EXPECT_EQ(faults, "");
}

TEST(CheckOperator, SaysThatAPluginDoesNotFitThisBuild) {
  auto given = named("sampler");
  given.fields.give("plugin", text("from_the_future"));
  std::string faults;
  EXPECT_EQ(check(given, faults).spec, nullptr);
  EXPECT_EQ(faults, "f:2:9: from_the_future.so: built for API 2; this is API 1");
}

TEST(CheckOperator, TellsFaultsOfPluginAndKeysTogether) {
  auto given = named("sampler");
  given.fields.give("plugin", text("gumble"));
  given.fields.give("mailbox", text("big"));
  std::string faults;
  check(given, faults);
  EXPECT_EQ(faults,
            "f:2:9: there is no sampler plugin 'gumble'; expected one of greedy, gumbel; did you "
            "mean 'gumbel'?\n"
            "f:2:9: mailbox = \"big\" is a string; expected an integer from 1 to 1048576 messages");
}

TEST(CheckModel, FillsInDefaults) {
  Diagnostics diagnostics;
  const auto checked = check_model({"default", {"f", 1, 1}, {}}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(checked.model.params.get_text("path"), "");
  EXPECT_EQ(checked.model.params.get_int("context"), 0);
  EXPECT_EQ(checked.keys.front().key, "model.default.path");
}

TEST(ModelOf, IsNothingWithoutTheParameterOrWithAnEmptyOne) {
  PipelineOperator op;
  EXPECT_EQ(model_of(op), std::nullopt);
  op.params = Params({{"model", Value("")}});
  EXPECT_EQ(model_of(op), std::nullopt);
  op.params = Params({{"model", Value("a")}});
  EXPECT_EQ(model_of(op), "a");
}

}  // namespace
}  // namespace troupe::pipeline
