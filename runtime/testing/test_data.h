#pragma once
#include <filesystem>
#include <optional>

namespace troupe::testing {

/// The folder of test data that lies outside the repository: the environment's TROUPE_TEST_DATA, or
/// `shared` beside the checkout. nullopt when there is none: such tests skip and say why.
std::optional<std::filesystem::path> test_data_folder();

/// The default model's GGUF file: the environment's TROUPE_TEST_MODEL, or the file that
/// tools/quickstart downloads. nullopt when there is none: such tests skip and say why.
std::optional<std::filesystem::path> default_model_file();

}  // namespace troupe::testing
