#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/result.h"
#include "troupe/api/tokenizer.h"
#include "troupe/model/model_file.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::model {

/// How a vocabulary writes text: `tokenizer.ggml.model`.
enum class VocabularyKind : std::uint8_t {
  byte_level,     // "gpt2": bytes as printable characters (byte_alphabet.h)
  sentencepiece,  // "llama": characters, U+2581 for a space, tokens like <0x0A> for single bytes
};

/// What a token is for: the numbers of `tokenizer.ggml.token_type`.
enum class TokenType : std::uint8_t {
  normal = 1,
  unknown = 2,       // stands for what the vocabulary cannot write
  control = 3,       // <s>, <|im_end|>: never part of a user's text
  user_defined = 4,  // text that is always one token
  unused = 5,
  byte = 6,
};

/// Ids that the file names; absent when it names none. There are no built-in defaults.
struct SpecialTokens {
  std::optional<TokenId> bos;
  std::optional<TokenId> eos;
  std::optional<TokenId> end_of_turn;
  std::optional<TokenId> end_of_message;
  std::optional<TokenId> unknown;
  std::optional<TokenId> padding;
};

/// The tokens of a model file, each with its bytes and its type. Immutable; any thread may read it.
class Vocabulary final : public TokenTable {
 public:
  /// Reads `tokenizer.ggml.*`; everything is copied, the file may go. Errors, each naming the key:
  /// not_found (no tokens), unsupported (another tokenizer model), invalid_argument (arrays of
  /// unequal length, an unknown token type, an id out of range, a malformed byte token).
  static Result<std::shared_ptr<const Vocabulary>> read(const ModelFile& file);

  std::int32_t size() const override { return static_cast<std::int32_t>(types_.size()); }
  /// Empty for control and unknown tokens. For SentencePiece a space at the beginning is included.
  std::string_view bytes(TokenId id) const override {
    return is_control(id) ? std::string_view() : text(id);
  }
  /// Also true for the unknown token: neither is part of generated text.
  bool is_control(TokenId id) const override {
    return type(id) == TokenType::control || type(id) == TokenType::unknown;
  }
  std::span<const TokenId> end_of_generation() const override { return end_of_generation_; }

  /// As bytes(), but with the names of control tokens, such as "<|im_end|>".
  /// Pre: 0 <= id < size().
  std::string_view text(TokenId id) const {
    const auto i = static_cast<std::size_t>(id);
    return std::string_view(arena_).substr(begins_[i], begins_[i + 1] - begins_[i]);
  }
  TokenType type(TokenId id) const { return types_[static_cast<std::size_t>(id)]; }
  VocabularyKind kind() const { return kind_; }
  const SpecialTokens& special() const { return special_; }

  /// The token that stands for exactly this byte; nullopt when the vocabulary has none.
  std::optional<TokenId> byte_token(std::uint8_t byte) const {
    const TokenId id = byte_tokens_[byte];
    return id < 0 ? std::nullopt : std::optional<TokenId>(id);
  }

 private:
  Vocabulary() { byte_tokens_.fill(-1); }
  Result<void> read_types(const ModelFile& file, std::size_t count);
  Result<void> read_texts(std::span<const std::string_view> tokens);
  Result<void> read_special(const ModelFile& file);
  Result<void> append_text(std::size_t index, std::string_view token);
  Result<void> note_byte_token(TokenId id);
  void find_end_of_generation();

  VocabularyKind kind_ = VocabularyKind::byte_level;
  std::string arena_;                  // the texts of all tokens, one after the other
  std::vector<std::uint64_t> begins_;  // where each begins; one more for the end
  std::vector<TokenType> types_;
  SpecialTokens special_;
  std::vector<TokenId> end_of_generation_;
  std::array<TokenId, 256> byte_tokens_{};
};

}  // namespace troupe::model
