#include "troupe/model/model_file.h"

#include "troupe/model/testing/memory_model.h"
#include "troupe/model/testing/test_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace troupe::model {
namespace {

using ::testing::HasSubstr;

testing::MemoryModel model_of_all_types() {
  testing::MemoryModel model;
  model.set("bool", true);
  model.set("int", -5);
  model.set("big", std::uint64_t{1} << 63);
  model.set("double", 0.5);
  model.set("string", std::string_view("text"));
  model.set("bools", std::vector<bool>{true});
  model.set("ints", std::vector<std::int64_t>{1, 2});
  model.set("doubles", std::vector<double>{0.5});
  model.set("strings", std::vector<std::string_view>{"a", "b"});
  return model;
}

TEST(ModelFile, FindsEachTypeUnderItsKey) {
  const auto model = model_of_all_types();
  EXPECT_EQ(model.find_bool("bool").value(), true);
  EXPECT_EQ(model.find_int("int").value(), -5);
  EXPECT_EQ(model.find_double("double").value(), 0.5);
  EXPECT_EQ(model.find_string("string").value(), "text");
  EXPECT_EQ(model.find_ints("ints").value()[1], 2);
  EXPECT_EQ(model.find_doubles("doubles").value()[0], 0.5);
  EXPECT_EQ(model.find_strings("strings").value()[1], "b");
  EXPECT_EQ(model.get_int("int").value(), -5);
  EXPECT_EQ(model.get_string("string").value(), "text");
}

TEST(ModelFile, ReadsIntegersAsDoublesButNotDoublesAsIntegers) {
  const auto model = model_of_all_types();
  EXPECT_EQ(model.find_double("int").value(), -5.0);
  EXPECT_EQ(model.find_double("big").value(), 0x1p63);
  EXPECT_THAT(model.find_int("double").error().message(),
              HasSubstr("is a float, expected an integer"));
}

TEST(ModelFile, SaysNothingOfAbsentKeysUnlessTheyMustBeThere) {
  const auto model = model_of_all_types();
  EXPECT_EQ(model.find_int("absent").value(), std::nullopt);
  EXPECT_EQ(model.find_string("absent").value(), std::nullopt);
  EXPECT_TRUE(model.find_strings("absent").value().empty());
  EXPECT_EQ(model.get_int("absent").error().code(), ErrorCode::not_found);
  EXPECT_THAT(model.get_string("absent").error().message(), HasSubstr("\"absent\""));
}

TEST(ModelFile, NamesKeyAndBothTypesOfAMismatch) {
  const auto model = model_of_all_types();
  EXPECT_EQ(model.find_bool("int").error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(model.find_bool("int").error().message(),
            "metadata key \"int\" is an integer, expected a boolean");
  EXPECT_EQ(model.find_int("big").error().message(),
            "metadata key \"big\" is an integer beyond 2^63-1, expected an integer up to 2^63-1");
  EXPECT_EQ(model.find_strings("string").error().message(),
            "metadata key \"string\" is a string, expected an array of strings");
  EXPECT_EQ(model.find_ints("bools").error().message(),
            "metadata key \"bools\" is an array of booleans, expected an array of integers");
  EXPECT_FALSE(model.get_int("string"));
  EXPECT_FALSE(model.find_double("string"));
}

TEST(OpenModel, NamesThePathOfWhatItCannotOpen) {
  EXPECT_EQ(open_model("/nowhere/x.gguf").error().code(), ErrorCode::not_found);
  EXPECT_THAT(open_model("/nowhere/x.gguf").error().message(), HasSubstr("/nowhere/x.gguf: "));
  EXPECT_THAT(open_model("/tmp").error().message(), HasSubstr("not a regular file"));
}

TEST(OpenModel, RefusesFilesOfOtherFormats) {
  const testing::TemporaryFile file("other.bin");
  file.write(std::as_bytes(std::span(std::string_view("PK\3\4 this is a zip"))));
  const auto error = open_model(file.path()).error();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.message(), HasSubstr(file.path().string() + ": not a model file"));
  file.write({});
  EXPECT_THAT(open_model(file.path()).error().message(), HasSubstr("the file is empty"));
}

}  // namespace
}  // namespace troupe::model
