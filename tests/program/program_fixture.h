#pragma once
#include "process.h"
#include "troupe/api/value.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace troupe::testing {

/// A folder of the test's own with a model of random weights in it.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  /// Writes a file into the folder; returns its path.
  std::string write_file(const std::string& name, const std::string& text) const;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  const std::string& model() const { return model_; }

  /// A chat pipeline in a file of that name. `door`, `executor`: the lines of those operators'
  /// tables, the plugin's name among them.
  std::string chat_pipeline(const std::string& name, const std::string& door,
                            const std::string& executor) const;
  /// One whose executor computes nothing: greedy answers are "CCC..." without an end.
  std::string endless_pipeline() const;

  /// The result's JSON; a failure and null when it is none.
  static Value json_of(const Finished& finished);

  /// The program failed with that exit code, printed no result and said `message`.
  static void expect_failure(const Finished& finished, int exit_code, const std::string& message);

 private:
  std::filesystem::path folder_;
  std::string model_;
};

}  // namespace troupe::testing
