#pragma once
#include "added_tokens.h"
#include "text_encoder.h"
#include "troupe/api/tokenizer.h"
#include "troupe/model/model_file.h"
#include "troupe/model/vocabulary.h"
#include "workspace_pool.h"

#include <memory>
#include <optional>
#include <string>

namespace troupe::bpe {

struct TokenizerOptions {
  std::string split_rule;  // in place of the one the file names; empty: the file's
  bool refuse_missing_bytes = false;
};

/// The tokenizer of a model file, without the operator around it. Immutable but for its caches; any
/// thread may call it.
class BpeTokenizer {
 public:
  /// Errors: unsupported (a tokenizer model or split rule this build does not know; the message
  /// lists those it does), invalid_argument and not_found (a file that contradicts itself).
  static Result<std::unique_ptr<BpeTokenizer>> build(const model::ModelFile& file,
                                                     const TokenizerOptions& options);

  /// See Tokenizer::encode.
  Result<std::vector<TokenId>> encode(std::span<const PromptPiece> prompt, EncodeOptions options,
                                      CancelFlag cancelled) const;

  /// See Tokenizer::decode and decode_part. Pre: `id` is in the vocabulary.
  void decode(DecodeState& state, TokenId id, std::string& out,
              std::size_t keep_bytes = std::string::npos) const;

  const std::shared_ptr<const model::Vocabulary>& vocabulary() const { return vocabulary_; }
  bool adds_bos() const { return ends_.bos.has_value(); }

 private:
  /// Tokens put around a prompt.
  struct Ends {
    std::optional<TokenId> bos;
    std::optional<TokenId> eos;
  };

  BpeTokenizer(std::shared_ptr<const model::Vocabulary> vocabulary,
               std::unique_ptr<TextEncoder> encoder, Ends ends, bool strips_space)
      : vocabulary_(std::move(vocabulary)),
        added_(*vocabulary_),
        encoder_(std::move(encoder)),
        ends_(ends),
        strips_space_(strips_space) {}

  static Result<Ends> read_ends(const model::ModelFile& file, const model::Vocabulary& vocabulary,
                                bool bos_by_default);
  static Result<std::unique_ptr<BpeTokenizer>> build_byte_level(
      const model::ModelFile& file, std::shared_ptr<const model::Vocabulary> vocabulary,
      const TokenizerOptions& options);
  static Result<std::unique_ptr<BpeTokenizer>> build_sentencepiece(
      const model::ModelFile& file, std::shared_ptr<const model::Vocabulary> vocabulary);

  Result<void> encode_segments(std::string_view text, const Trust& trust, Workspace& workspace,
                               CancelFlag cancelled, std::vector<TokenId>& out) const;
  void add_ends(std::vector<TokenId>& ids) const;

  std::shared_ptr<const model::Vocabulary> vocabulary_;
  AddedTokens added_;
  std::unique_ptr<TextEncoder> encoder_;
  Ends ends_;
  bool strips_space_;  // decoding takes away one space at the beginning of the text
  mutable WorkspacePool workspaces_;
};

}  // namespace troupe::bpe
