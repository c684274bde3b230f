// Every file of broken/ is a pipeline with faults, and says in its first lines what must be found:
//   # expect: LINE:COLUMN: message      one line per diagnostic, in order
//   # set: key=value   # env: key=value;...   # config: file beside it   # model: path
// A new case is a new file.
#include "troupe/pipeline/load_pipeline.h"
#include "troupe/pipeline/testing/fake_catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::pipeline {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = TROUPE_SOURCE_DIR "/tests/pipelines/broken";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".toml" && !entry.path().stem().string().ends_with("_config"))
      names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

struct Case {
  std::string text;
  Overrides overrides;
  std::vector<std::string> expected;
};

void read_header_line(std::string_view line, Case& one) {
  const auto value_of = [&](std::string_view key) {
    return line.starts_with(key) ? std::string(line.substr(key.size())) : std::string();
  };
  if (auto text = value_of("# expect: "); !text.empty()) one.expected.push_back(text);
  if (auto text = value_of("# set: "); !text.empty()) one.overrides.set.push_back(text);
  if (auto text = value_of("# env: "); !text.empty()) one.overrides.environment = text;
  if (auto text = value_of("# model: "); !text.empty()) one.overrides.model = text;
  if (auto text = value_of("# config: "); !text.empty())
    one.overrides.config_files.push_back((kFolder / text).string());
}

Case read_case(const std::string& name) {
  Case one;
  std::ifstream file(kFolder / (name + ".toml"));
  one.text = {std::istreambuf_iterator<char>(file), {}};
  std::istringstream lines(one.text);
  for (std::string line; std::getline(lines, line) && line.starts_with("#");)
    read_header_line(line, one);
  return one;
}

/// Messages without the name of the case and the folder of config files.
std::string shortened(std::string text, const std::string& name) {
  const auto own = name + ":";
  if (text.starts_with(own)) text.erase(0, own.size());
  const auto folder = kFolder.string() + "/";
  for (auto at = text.find(folder); at != text.npos; at = text.find(folder))
    text.erase(at, folder.size());
  return text;
}

class BrokenPipeline : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenPipeline, IsRefusedWithExactlyTheExpectedMessages) {
  const auto one = read_case(GetParam());
  ASSERT_FALSE(one.expected.empty()) << "the file expects nothing";
  const testing::FakeCatalog catalog;
  const auto name = GetParam() + ".toml";
  const auto checked = check_pipeline({one.text, name}, one.overrides, catalog);
  EXPECT_FALSE(checked.spec);
  std::vector<std::string> found;
  for (const auto& diagnostic : checked.diagnostics.sorted())
    found.push_back(shortened(diagnostic.text(), name));
  EXPECT_EQ(found, one.expected);
}

INSTANTIATE_TEST_SUITE_P(Files, BrokenPipeline, ::testing::ValuesIn(case_names()),
                         [](const auto& info) { return info.param; });

TEST(BrokenPipelines, AreManyAndTheirExpectationsAllSayWhatWasExpected) {
  EXPECT_GE(case_names().size(), 45u);
}

}  // namespace
}  // namespace troupe::pipeline
