#include "troupe/model/gguf/name_index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe::model::gguf {
namespace {

TEST(NameIndex, FindsEveryNameAndNoOther) {
  const std::vector<std::string_view> names = {"b", "", "a", "ab"};
  const NameIndex index(names);
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(index.find(names[i]), i);
  EXPECT_EQ(index.find("aa"), std::nullopt);
  EXPECT_EQ(index.find("c"), std::nullopt);
  EXPECT_EQ(index.duplicate(), std::nullopt);
}

TEST(NameIndex, TellsANameThatStandsTwice) {
  const std::vector<std::string_view> names = {"x", "a", "y", "a"};
  EXPECT_EQ(NameIndex(names).duplicate(), "a");
}

TEST(NameIndex, OfNothingFindsNothing) {
  EXPECT_EQ(NameIndex().find("a"), std::nullopt);
  EXPECT_EQ(NameIndex(std::span<const std::string_view>()).duplicate(), std::nullopt);
}

}  // namespace
}  // namespace troupe::model::gguf
