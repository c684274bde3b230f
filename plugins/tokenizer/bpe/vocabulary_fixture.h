#pragma once
#include "troupe/model/byte_alphabet.h"
#include "troupe/model/model_file.h"
#include "troupe/model/vocabulary.h"

#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::bpe {

/// A model file for tests that holds a vocabulary made by hand, and nothing else.
class VocabularyFile : public model::ModelFile {
 public:
  std::map<std::string, model::MetadataValue, std::less<>> values;

  const std::filesystem::path& path() const override { return path_; }
  const model::MetadataValue* metadata(std::string_view key) const override {
    const auto found = values.find(key);
    return found == values.end() ? nullptr : &found->second;
  }
  std::vector<std::string_view> metadata_keys() const override {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : values)
      keys.push_back(key);
    return keys;
  }
  std::span<const model::TensorInfo> tensors() const override { return {}; }
  const model::TensorInfo* tensor(std::string_view) const override { return nullptr; }

  void set(std::string_view name, model::MetadataValue value) {
    values["tokenizer.ggml." + std::string(name)] = std::move(value);
  }
  void remove(std::string_view name) { values.erase("tokenizer.ggml." + std::string(name)); }

  /// Adds a token as the file writes it; returns its id.
  TokenId add(std::string text, model::TokenType type, double score = 0) {
    texts_.push_back(std::move(text));
    auto& tokens = list<std::string_view>("tokens");
    tokens.push_back(texts_.back());
    list<std::int64_t>("token_type").push_back(static_cast<std::int64_t>(type));
    if (with_scores) list<double>("scores").push_back(score);
    return static_cast<TokenId>(tokens.size()) - 1;
  }

  void add_merge(std::string text) {
    texts_.push_back(std::move(text));
    list<std::string_view>("merges").push_back(texts_.back());
  }

  template <class T>
  std::vector<T>& list(std::string_view name) {
    auto& value = values["tokenizer.ggml." + std::string(name)];
    if (!std::holds_alternative<std::vector<T>>(value)) value = std::vector<T>();
    return std::get<std::vector<T>>(value);
  }

  bool with_scores = false;

 private:
  std::deque<std::string> texts_;
  std::filesystem::path path_ = "fixture.gguf";
};

/// A byte-level vocabulary: ids 0 to 255 are the bytes, then one token for each merge in order.
/// Merges are given as pairs of bytes strings: {"a", "a"}, {"aa", "aa"}.
class ByteLevelFile : public VocabularyFile {
 public:
  explicit ByteLevelFile(std::string_view rule,
                         const std::vector<std::pair<std::string, std::string>>& merges = {}) {
    set("model", std::string_view("gpt2"));
    set("pre", rule);
    list<std::string_view>("merges");
    for (int byte = 0; byte < 256; ++byte)
      add(model::write_alphabet(std::string(1, static_cast<char>(byte))), model::TokenType::normal);
    for (const auto& [left, right] : merges)
      merge(left, right);
  }

  TokenId merge(const std::string& left, const std::string& right) {
    add_merge(model::write_alphabet(left) + " " + model::write_alphabet(right));
    return add(model::write_alphabet(left + right), model::TokenType::normal);
  }
};

/// A SentencePiece vocabulary: <unk> 0, <s> 1, </s> 2, the bytes from 3 on, then what is added.
class SentencepieceFile : public VocabularyFile {
 public:
  explicit SentencepieceFile(bool with_bytes = true) {
    with_scores = true;
    set("model", std::string_view("llama"));
    set("unknown_token_id", std::int64_t{0});
    set("bos_token_id", std::int64_t{1});
    set("eos_token_id", std::int64_t{2});
    add("<unk>", model::TokenType::unknown);
    add("<s>", model::TokenType::control);
    add("</s>", model::TokenType::control);
    for (int byte = 0; with_bytes && byte < 256; ++byte) {
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
      add(name, model::TokenType::byte);
    }
  }

  /// Adds pieces with falling scores.
  void add_pieces(const std::vector<std::string>& pieces) {
    for (const auto& piece : pieces)
      add(piece, model::TokenType::normal, --score_);
  }

  static constexpr TokenId kFirstByte = 3;

 private:
  double score_ = 0;
};

}  // namespace troupe::bpe
