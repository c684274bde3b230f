#include "plugins/executor/transformer/test_executor.h"
#include "troupe/testing/test_data.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::transformer::testing {
namespace {

/// The text of ids of a SentencePiece vocabulary.
std::string text_of(const model::ModelFile& file, const std::vector<TokenId>& ids) {
  const auto pieces = file.find_strings("tokenizer.ggml.tokens").value();
  std::string text;
  for (const TokenId id : ids)
    text += pieces[static_cast<std::size_t>(id)];
  for (auto at = text.find("\u2581"); at != std::string::npos; at = text.find("\u2581"))
    text.replace(at, 3, " ");
  return text;
}

TEST(RealModels, Stories260KTellsAStory) {
  const auto folder = ::troupe::testing::test_data_folder();
  const auto path =
      folder ? *folder / "models/stories260K/stories260K.gguf" : std::filesystem::path();
  if (!folder || !exists(path)) GTEST_SKIP() << "no stories260K.gguf among the test data";
  auto executor = start_executor(path, {}, {{"activations", "f32"}, {"kv_precision", "f32"}});
  ASSERT_TRUE(executor) << executor.error().message();
  const auto file = model::open_model(path).value();
  const auto ids = continue_greedily(**executor, {1}, 100, 2);
  const auto story = text_of(*file, ids);
  EXPECT_TRUE(story.starts_with(" Once upon a time")) << story;
  EXPECT_GE(ids.size(), 50u);
}

}  // namespace
}  // namespace troupe::transformer::testing
