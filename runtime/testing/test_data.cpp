#include "troupe/testing/test_data.h"

#include <cstdlib>

namespace troupe::testing {
namespace {

std::optional<std::filesystem::path> from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::filesystem::path(text);
}

std::optional<std::filesystem::path> if_exists(std::filesystem::path path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return path;
}

}  // namespace

std::optional<std::filesystem::path> test_data_folder() {
  if (const auto chosen = from_environment("TROUPE_TEST_DATA")) return if_exists(*chosen);
  return if_exists(std::filesystem::path(TROUPE_SOURCE_DIR).parent_path() / "shared");
}

std::optional<std::filesystem::path> default_model_file() {
  if (const auto chosen = from_environment("TROUPE_TEST_MODEL")) return if_exists(*chosen);
  const auto home = from_environment("HOME");
  if (!home) return std::nullopt;
  return if_exists(*home / ".cache/troupe/models/SmolLM2-135M-Instruct.Q4_1.gguf");
}

std::optional<std::filesystem::path> stories_model_file() {
  const auto folder = test_data_folder();
  return folder ? if_exists(*folder / "models/stories260K/stories260K.gguf") : std::nullopt;
}

}  // namespace troupe::testing
