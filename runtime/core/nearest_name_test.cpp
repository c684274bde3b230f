#include "troupe/core/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe {
namespace {

const std::vector<std::string> kNames = {"temperature", "top_k", "top_p", "seed"};

TEST(NearestName, FindsAMisspeltName) {
  EXPECT_EQ(nearest_name("temprature", kNames), "temperature");
  EXPECT_EQ(nearest_name("topk", kNames), "top_k");
  EXPECT_EQ(nearest_name("sed", kNames), "seed");
}

TEST(NearestName, IsEmptyForAWordThatResemblesNone) {
  EXPECT_EQ(nearest_name("mailbox", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name("x", std::vector<std::string>{"y"}), "");
}

TEST(NearestName, BearsWordsOfAnyLength) {
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'a'), kNames), "");
}

TEST(NearestName, SuggestsAndListsWhatThereIs) {
  EXPECT_EQ(suggest("sead", kNames),
            "; did you mean 'seed'? There are: temperature, top_k, top_p, seed");
  EXPECT_EQ(suggest("mailbox", kNames), "; there are: temperature, top_k, top_p, seed");
  EXPECT_EQ(suggest("x", {}), "");
}

}  // namespace
}  // namespace troupe
