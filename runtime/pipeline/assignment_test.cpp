#include "troupe/pipeline/assignment.h"

#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

using Parts = std::vector<std::string>;

PipelineSpec chat_with(const std::vector<std::string>& set) {
  return testing::load_shipped("chat.toml", {{}, "", set, ""});
}

std::string fault(const std::string& set) {
  const testing::FakeCatalog catalog;
  const auto spec =
      load_pipeline(TROUPE_SOURCE_DIR "/pipelines/chat.toml", {{}, "", {set}, ""}, catalog);
  return spec ? "" : spec.error().message();
}

TEST(SplitAssignments, SplitsAtSemicolonsOutsideOfQuotesAndBrackets) {
  EXPECT_EQ(split_assignments("a.b=1;c.d=2"), (Parts{"a.b=1", "c.d=2"}));
  EXPECT_EQ(split_assignments(" ; a=1;; "), (Parts{" a=1"}));
  EXPECT_EQ(split_assignments("a=\"x;y\";b='p;q'"), (Parts{"a=\"x;y\"", "b='p;q'"}));
  EXPECT_EQ(split_assignments("a=\"x\\\";y\";b=1"), (Parts{"a=\"x\\\";y\"", "b=1"}));
  EXPECT_EQ(split_assignments("a=[\"x\";1];b={c;d};e"), (Parts{"a=[\"x\";1]", "b={c;d}", "e"}));
  EXPECT_EQ(split_assignments(""), Parts{});
  EXPECT_EQ(split_assignments("a=\"open;b=1"), (Parts{"a=\"open;b=1"}));
  EXPECT_EQ(split_assignments("a=];b=1"), (Parts{"a=]", "b=1"}));
}

TEST(Assignment, TakesShortAndLongKeys) {
  for (const std::string key :
       {"scheduler.max_batch_tokens", "scheduler.params.max_batch_tokens",
        "operators.scheduler.max_batch_tokens", "operators.scheduler.params.max_batch_tokens",
        " scheduler . max_batch_tokens "}) {
    const auto spec = chat_with({key + "=4096"});
    EXPECT_EQ(spec.find_operator("scheduler")->params.get_int("max_batch_tokens"), 4096) << key;
  }
}

TEST(Assignment, NeedsNoQuotesForAWordAndTakesTextLiterally) {
  const auto path = [](const std::string& value) {
    return chat_with({"model.default.path=" + value})
        .find_model("default")
        ->params.get_text("path");
  };
  EXPECT_EQ(path("/m/a.gguf"), "/m/a.gguf");
  EXPECT_EQ(path("'/m/a b.gguf'"), "/m/a b.gguf");
  EXPECT_EQ(path("/m/a#1.gguf"), "/m/a#1.gguf");
  EXPECT_EQ(path("/m/x=y"), "/m/x=y");
  EXPECT_EQ(chat_with({"executor.device=cpu"}).find_operator("executor")->params.get_text("device"),
            "cpu");
}

TEST(Assignment, GivesATextParameterWhatWasTypedEvenIfItLooksLikeANumber) {
  const auto spec = testing::load_shipped("serve.toml", {{}, "", {"zmq.bind=5555"}, ""});
  EXPECT_EQ(spec.find_operator("zmq")->params.get_text("bind"), "5555");
}

TEST(Assignment, TakesListsAndWholeTables) {
  const auto spec = testing::load_shipped(
      "guarded_chat.toml",
      {{}, "", {"guard.refuse=[\"a\", \"b\"]", "scheduler.params={max_batch_tokens=9}"}, ""});
  EXPECT_EQ(spec.find_operator("guard")->params.get_texts("refuse"), (Parts{"a", "b"}));
  EXPECT_EQ(spec.find_operator("scheduler")->params.get_int("max_batch_tokens"), 9);
}

TEST(Assignment, LetsTheLastOneHold) {
  const auto spec = chat_with({"scheduler.prefill_chunk=1", "scheduler.prefill_chunk=2"});
  EXPECT_EQ(spec.find_operator("scheduler")->params.get_int("prefill_chunk"), 2);
}

TEST(Assignment, MayChangeAPlugin) {
  EXPECT_EQ(chat_with({"sampler.plugin=greedy"}).find_operator("sampler")->plugin, "greedy");
}

TEST(Assignment, RefusesASecondKeyInTheValue) {
  EXPECT_NE(fault("scheduler.prefill_chunk=1\nmodel.default.context=2"), "");
}

TEST(Assignment, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(fault("=5"),
            "--set =5: no key and value; expected key=value, such as "
            "scheduler.max_batch_tokens=4096");
  EXPECT_EQ(fault("executor.device="),
            "--set executor.device=: device = \"\" is none of its choices; expected \"cpu\" or "
            "\"cuda\"");
  EXPECT_TRUE(
      fault("guard.refuse=[a]").starts_with("--set guard.refuse=[a]: the value is not valid TOML"));
}

}  // namespace
}  // namespace troupe::pipeline
