#include "metrics_file.h"

#include "temporary_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace troupe::program {
namespace {

Value counts(const std::string& name, std::int64_t free) {
  Value value;
  value.set("operator", name);
  value.set("blocks_free", free);
  value.set("last_swap_loss", std::string("a reason"));
  return value;
}

const Value kStats(Value::Array{counts("kv_small", 3), counts("kv \"large\"", 5)});

TEST(MetricsFile, LinesOfOneMetricStandTogetherAndWordsAreLeftOut) {
  EXPECT_EQ(metrics_text(kStats),
            "# TYPE troupe_blocks_free untyped\n"
            "troupe_blocks_free{operator=\"kv_small\"} 3\n"
            "troupe_blocks_free{operator=\"kv \\\"large\\\"\"} 5\n");
}

TEST(MetricsFile, ReplacesTheFileAndLeavesNoOther) {
  const auto file = TemporaryFile::create("troupe-metrics-").value();
  ASSERT_TRUE(write_metrics(file.path(), kStats));
  std::stringstream text;
  text << std::ifstream(file.path()).rdbuf();
  EXPECT_EQ(text.str(), metrics_text(kStats));
  EXPECT_FALSE(std::filesystem::exists(file.path() + ".new"));
}

TEST(MetricsFile, SaysWhyItCannotBeWritten) {
  const auto written = write_metrics("/nowhere/metrics", kStats);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(),
            "/nowhere/metrics: No such file or directory; expected a file that can be written, for "
            "--metrics-file");
}

}  // namespace
}  // namespace troupe::program
