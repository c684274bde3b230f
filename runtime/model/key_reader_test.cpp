#include "troupe/model/key_reader.h"

#include "troupe/model/testing/memory_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace troupe::model {
namespace {

using ::testing::ElementsAre;

testing::MemoryModel small_model() {
  testing::MemoryModel model;
  model.set("qwen3.size", 5);
  model.set("qwen3.eps", 0.5);
  model.set("qwen3.kind", std::string_view("none"));
  model.set("llama.size", 7);
  return model;
}

TEST(KeyReader, ReadsTheKeysOfItsArchitecture) {
  const auto model = small_model();
  KeyReader keys(model, "qwen3");
  std::int64_t size = 0;
  double eps = 0;
  std::string_view kind;
  keys.required("size", {.least = 1, .most = 5}, size);
  keys.required("eps", {.above = 0, .most = 1}, eps);
  keys.optional("kind", kind);
  EXPECT_EQ(keys.error(), std::nullopt);
  EXPECT_EQ(size, 5);
  EXPECT_EQ(eps, 0.5);
  EXPECT_EQ(kind, "none");
}

TEST(KeyReader, LeavesTheFieldOfAnAbsentOptionalKey) {
  const auto model = small_model();
  KeyReader keys(model, "qwen3");
  std::int64_t size = 42;
  keys.optional("absent", {.least = 1, .most = 2}, size);
  EXPECT_EQ(keys.error(), std::nullopt);
  EXPECT_EQ(size, 42);
  keys.required("absent", {}, size);
  EXPECT_EQ(keys.error()->code(), ErrorCode::not_found);
  EXPECT_EQ(keys.error()->message(), "the file has no metadata key \"qwen3.absent\"");
}

TEST(KeyReader, RefusesValuesOutsideTheirRange) {
  const auto model = small_model();
  std::int64_t size = 0;
  KeyReader high(model, "qwen3");
  high.required("size", {.least = 1, .most = 4}, size);
  EXPECT_EQ(high.error()->message(), "qwen3.size = 5: expected 1 to 4");
  KeyReader low(model, "qwen3");
  low.optional("size", {.least = 6, .most = 9}, size);
  EXPECT_EQ(low.error()->code(), ErrorCode::invalid_argument);
  EXPECT_EQ(size, 0);
}

TEST(KeyReader, RefusesNumbersThatAreNone) {
  auto model = small_model();
  for (const double value : {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 0.0, -1.0, 1.5}) {
    model.set("qwen3.eps", value);
    KeyReader keys(model, "qwen3");
    double eps = 0;
    keys.required("eps", {.above = 0, .most = 1}, eps);
    EXPECT_TRUE(keys.error()) << value;
  }
}

TEST(KeyReader, KeepsTheFirstErrorOfSeveral) {
  const auto model = small_model();
  KeyReader keys(model, "qwen3");
  std::int64_t size = 0;
  keys.required("first", {}, size);
  keys.required("second", {}, size);
  keys.optional("kind", {}, size);
  EXPECT_EQ(keys.error()->message(), "the file has no metadata key \"qwen3.first\"");
}

TEST(KeyReader, NamesTheKeysThatNobodyRead) {
  auto model = small_model();
  model.set("qwen3.extra", 1);
  model.set("qwen3.note", std::string_view("x"));
  model.set("qwen3x.size", 1);
  KeyReader keys(model, "qwen3");
  std::int64_t size = 0;
  keys.optional("size", {}, size);
  keys.ignore("note");
  EXPECT_THAT(keys.unread(), ElementsAre("qwen3.eps", "qwen3.kind", "qwen3.extra"));
}

}  // namespace
}  // namespace troupe::model
