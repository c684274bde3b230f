#pragma once
#include "troupe/model/tiny_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <unistd.h>

namespace troupe::transformer::testing {

/// A tiny model in a temporary file that goes with this object.
class TinyModelFile {
 public:
  explicit TinyModelFile(const model::TinyModelOptions& options = {}) {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("troupe_tiny_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ".gguf");
    const auto written = model::write_tiny_model(path_, options);
    EXPECT_TRUE(written) << written.error().message();
  }
  ~TinyModelFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TinyModelFile(const TinyModelFile&) = delete;
  TinyModelFile& operator=(const TinyModelFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace troupe::transformer::testing
