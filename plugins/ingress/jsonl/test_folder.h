#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace troupe::jsonl {

/// A folder of a test's own.
class TestFolder : public ::testing::Test {
 protected:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "troupe-jsonl-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~TestFolder() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  std::string read(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace troupe::jsonl
