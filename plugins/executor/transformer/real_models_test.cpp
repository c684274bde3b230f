#include "plugins/executor/transformer/test_executor.h"
#include "troupe/testing/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  const auto path = ::troupe::testing::stories_model_file();
  if (!path) GTEST_SKIP() << ::troupe::testing::kNoStoriesModel;
  auto executor = start_executor(*path, {}, {{"activations", "f32"}, {"kv_precision", "f32"}});
  ASSERT_TRUE(executor) << executor.error().message();
  const auto file = model::open_model(*path).value();
  const auto ids = continue_greedily(**executor, {1}, 100, 2);
  const auto story = text_of(*file, ids);
  EXPECT_TRUE(story.starts_with(" Once upon a time")) << story;
  EXPECT_GE(ids.size(), 50u);
}

/// Ids of a byte-level vocabulary for text whose every word (with a space before it, written as the
/// byte-level alphabet does) and marker is one token.
std::vector<TokenId> ids_of(const model::ModelFile& file, const std::vector<std::string>& pieces) {
  const auto tokens = file.find_strings("tokenizer.ggml.tokens").value();
  std::vector<TokenId> ids;
  for (const auto& piece : pieces) {
    const auto found = std::find(tokens.begin(), tokens.end(), piece);
    EXPECT_NE(found, tokens.end()) << piece;
    ids.push_back(static_cast<TokenId>(found - tokens.begin()));
  }
  return ids;
}

TEST(RealModels, SmolLm2KnowsTheCapitalOfFrance) {
  const auto path = ::troupe::testing::default_model_file();
  if (!path) GTEST_SKIP() << ::troupe::testing::kNoDefaultModel;
  const auto file = model::open_model(*path).value();
  const auto prompt =
      ids_of(*file, {"<|im_start|>", "user", "\u010a", "What", "\u0120is", "\u0120the",
                     "\u0120capital", "\u0120of", "\u0120France", "?", "<|im_end|>", "\u010a",
                     "<|im_start|>", "ass", "istant", "\u010a"});
  const auto end = ids_of(*file, {"<|im_end|>"}).front();
  for (const char* activations : {"f32", "int8x2"}) {
    auto executor = start_executor(*path, {}, {{"activations", activations}});
    ASSERT_TRUE(executor) << executor.error().message();
    const auto answer = text_of(*file, continue_greedily(**executor, prompt, 16, end));
    EXPECT_NE(answer.find("Paris"), std::string::npos) << answer;
  }
}

}  // namespace
}  // namespace troupe::transformer::testing
