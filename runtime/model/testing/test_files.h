#pragma once
#include "troupe/model/model_file.h"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

// Files that the tests of this folder need.
namespace troupe::model::testing {

/// A path of its own in the temporary folder; the file is removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view name)
      : path_(std::filesystem::temp_directory_path() /
              ("troupe_model_test_" + std::to_string(::getpid()) + "_" + std::string(name))) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  const std::filesystem::path& path() const { return path_; }

  void write(std::span<const std::byte> bytes) const {
    std::ofstream stream(path_, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::filesystem::path path_;
};

/// Opens bytes as a model file, through a file that is already removed again.
inline Result<std::shared_ptr<const ModelFile>> open_bytes(std::span<const std::byte> bytes) {
  static int counter = 0;
  const TemporaryFile file(std::to_string(++counter) + ".gguf");
  file.write(bytes);
  return open_model(file.path());
}

/// The folder with shared test data; it may be absent.
inline std::filesystem::path test_data_folder() {
  const char* folder = std::getenv("TROUPE_TEST_DATA");
  return folder != nullptr ? folder : TROUPE_SOURCE_DIR "/../shared";
}

inline std::filesystem::path stories260k() {
  return test_data_folder() / "models/stories260K/stories260K.gguf";
}

/// SmolLM2-135M-Instruct in Q4_1, where the quickstart puts it.
inline std::filesystem::path smollm2() {
  if (const char* path = std::getenv("TROUPE_TEST_MODEL")) return path;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/") /
         ".cache/troupe/models/SmolLM2-135M-Instruct.Q4_1.gguf";
}

}  // namespace troupe::model::testing
