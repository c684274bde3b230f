#include "troupe/model/vocabulary.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace troupe::model {
namespace {

using namespace std::string_view_literals;
using Texts = std::vector<std::string_view>;
using Ints = std::vector<std::int64_t>;

/// A model file that has metadata only.
class MetadataFile : public ModelFile {
 public:
  std::map<std::string, MetadataValue, std::less<>> values;

  const std::filesystem::path& path() const override { return path_; }
  const MetadataValue* metadata(std::string_view key) const override {
    const auto found = values.find(key);
    return found == values.end() ? nullptr : &found->second;
  }
  std::vector<std::string_view> metadata_keys() const override {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : values)
      keys.push_back(key);
    return keys;
  }
  std::span<const TensorInfo> tensors() const override { return {}; }
  const TensorInfo* tensor(std::string_view) const override { return nullptr; }

 private:
  std::filesystem::path path_ = "test.gguf";
};

MetadataFile vocabulary_file(std::string_view model, Texts tokens, Ints types = {}) {
  MetadataFile file;
  file.values["tokenizer.ggml.model"] = model;
  file.values["tokenizer.ggml.tokens"] = std::move(tokens);
  if (!types.empty()) file.values["tokenizer.ggml.token_type"] = std::move(types);
  return file;
}

std::string error_of(const MetadataFile& file) {
  const auto read = Vocabulary::read(file);
  return read ? std::string() : read.error().message();
}

TEST(Vocabulary, ReadsByteLevelTokensAsBytesAndAddedOnesAsTheyAre) {
  auto file = vocabulary_file("gpt2", {"a", "Ġthe", "Ċ", "<|im_end|>", "Ġ", "▁x", "Ã"},
                              {1, 1, 1, 3, 4, 1, 1});
  file.values["tokenizer.ggml.eos_token_id"] = std::int64_t{3};
  const auto read = Vocabulary::read(file).value();
  EXPECT_EQ(read->kind(), VocabularyKind::byte_level);
  EXPECT_EQ(read->size(), 7);
  EXPECT_EQ(read->bytes(1), " the");
  EXPECT_EQ(read->bytes(2), "\n");
  EXPECT_EQ(read->bytes(3), "");
  EXPECT_EQ(read->text(3), "<|im_end|>");
  EXPECT_TRUE(read->is_control(3));
  EXPECT_EQ(read->bytes(4), "Ġ");
  EXPECT_EQ(read->bytes(5), "▁x");
  EXPECT_EQ(read->bytes(6), "\xC3");
  EXPECT_EQ(read->byte_token('a'), 0);
  EXPECT_EQ(read->byte_token('\n'), 2);
  EXPECT_EQ(read->byte_token(0xC3), 6);
  EXPECT_EQ(read->byte_token('b'), std::nullopt);
}

TEST(Vocabulary, ReadsSentencePieceTokensWithSpacesAndBytes) {
  const auto read =
      Vocabulary::read(
          vocabulary_file("llama", {"<unk>", "<s>", "▁Hello", "<0x0A>", "<0xff>", "x▁▁y", "<0x0A>"},
                          {2, 3, 1, 6, 6, 1, 1}))
          .value();
  EXPECT_EQ(read->kind(), VocabularyKind::sentencepiece);
  EXPECT_EQ(read->bytes(0), "");
  EXPECT_TRUE(read->is_control(0));
  EXPECT_EQ(read->bytes(2), " Hello");
  EXPECT_EQ(read->bytes(3), "\n");
  EXPECT_EQ(read->bytes(4), "\xFF");
  EXPECT_EQ(read->bytes(5), "x  y");
  EXPECT_EQ(read->bytes(6), "<0x0A>") << "an ordinary token that only looks like a byte's name";
  EXPECT_EQ(read->byte_token('\n'), 3);
}

TEST(Vocabulary, D09RefusesArraysOfUnequalLength) {
  EXPECT_EQ(error_of(vocabulary_file("gpt2", {"a", "b"}, {1})),
            "tokenizer.ggml.token_type: 1 types for 2 tokens; expected one each");
}

TEST(Vocabulary, D09RefusesIdsOutOfRangeNamingTheKey) {
  for (const auto* key : {"bos_token_id", "eos_token_id", "fim_pre_token_id"})
    for (const std::int64_t id : {std::int64_t{2}, std::int64_t{-1}, std::int64_t{1} << 40}) {
      auto file = vocabulary_file("gpt2", {"a", "b"}, {1, 1});
      file.values[std::string("tokenizer.ggml.") + key] = id;
      EXPECT_EQ(error_of(file), std::string("tokenizer.ggml.") + key + ": id " +
                                    std::to_string(id) +
                                    " is out of range; the vocabulary has 2 tokens");
    }
}

TEST(Vocabulary, D09HasNoDefaultIds) {
  const auto read = Vocabulary::read(vocabulary_file("llama", {"a", "b"}, {1, 1})).value();
  EXPECT_EQ(read->special().bos, std::nullopt);
  EXPECT_EQ(read->special().eos, std::nullopt);
  EXPECT_TRUE(read->end_of_generation().empty());
}

TEST(Vocabulary, D09RefusesUnknownTypesModelsAndByteNames) {
  EXPECT_EQ(error_of(vocabulary_file("gpt2", {"a", "b"}, {1, 7})),
            "tokenizer.ggml.token_type: token 1 has type 7; expected 1 to 6");
  EXPECT_EQ(error_of(vocabulary_file("llama", {"<0x1>"}, {6})),
            "tokenizer.ggml.tokens: token 0 has the type of a byte but is \"<0x1>\"; expected a "
            "name such as <0x0A>");
  EXPECT_EQ(error_of(vocabulary_file("llama", {"<0x41>", "<0x41>"}, {6, 6})),
            "tokenizer.ggml.tokens: tokens 0 and 1 both stand for the same byte");
  EXPECT_EQ(error_of(vocabulary_file("bert", {"a"})),
            "tokenizer.ggml.model: \"bert\" is not supported; expected \"gpt2\" (byte-level BPE) "
            "or \"llama\" (SentencePiece BPE)");
  EXPECT_EQ(error_of(vocabulary_file("gpt2", {})),
            "tokenizer.ggml.tokens: the file has no vocabulary");
}

TEST(Vocabulary, EndsGenerationAtNamedIdsAndAtKnownControlTokens) {
  auto file = vocabulary_file("gpt2", {"<|im_end|>", "</s>", "<|eot_id|>", "<|end|>", "x"},
                              {3, 3, 3, 1, 1});
  file.values["tokenizer.ggml.eos_token_id"] = std::int64_t{1};
  const auto read = Vocabulary::read(file).value();
  const auto ends = read->end_of_generation();
  EXPECT_EQ(std::vector<TokenId>(ends.begin(), ends.end()), (std::vector<TokenId>{0, 1, 2}))
      << "<|end|> is ordinary text in this file";
}

TEST(Vocabulary, WithoutTypesTakesNamedIdsForControlTokens) {
  auto file = vocabulary_file("gpt2", {"a", "</s>"});
  file.values["tokenizer.ggml.eos_token_id"] = std::int64_t{1};
  const auto read = Vocabulary::read(file).value();
  EXPECT_TRUE(read->is_control(1));
  EXPECT_FALSE(read->is_control(0));
}

}  // namespace
}  // namespace troupe::model
