#pragma once
#include <filesystem>
#include <optional>

namespace troupe::testing {

/// The folder of test data that lies outside the repository: the environment's TROUPE_TEST_DATA, or
/// `shared` beside the checkout. nullopt when there is none: such tests skip and say why.
std::optional<std::filesystem::path> test_data_folder();

/// The default model's GGUF file: the environment's TROUPE_TEST_MODEL, or the file that
/// tools/quickstart downloads. nullopt when there is none: such tests skip and print this reason.
std::optional<std::filesystem::path> default_model_file();
inline constexpr char kNoDefaultModel[] =
    "needs the default model: tools/quickstart downloads it, or TROUPE_TEST_MODEL names its file";

/// A second real model, tiny, from the folder of test data. nullopt when it is not there: such
/// tests skip and print this reason.
std::optional<std::filesystem::path> stories_model_file();
inline constexpr char kNoStoriesModel[] =
    "needs models/stories260K/stories260K.gguf in the folder that TROUPE_TEST_DATA names";

}  // namespace troupe::testing
