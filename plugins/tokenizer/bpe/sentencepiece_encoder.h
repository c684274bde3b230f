#pragma once
#include "sentencepiece_merges.h"
#include "text_encoder.h"
#include "troupe/model/model_file.h"
#include "troupe/model/vocabulary.h"

#include <memory>
#include <optional>

namespace troupe::bpe {

/// BPE over characters with scores, as SentencePiece does it: a space is a character like others
/// (U+2581 in the file). What no token writes becomes byte tokens, or the unknown token, once for
/// each run, in vocabularies without byte tokens; so does each byte of ill-formed text.
///
/// Every segment is normalised by itself: with `add_space_prefix` each gets a space in front, also
/// one that follows a control token.
/// Source: T. Kudo, J. Richardson, "SentencePiece", 2018.
class SentencepieceEncoder final : public TextEncoder {
 public:
  /// Reads `tokenizer.ggml.{scores, add_space_prefix, remove_extra_whitespaces}`. Errors: those of
  /// build_sentencepiece_merges; invalid_argument (some byte tokens, but not all 256; neither byte
  /// tokens nor an unknown token); unsupported (a character map).
  static Result<std::unique_ptr<SentencepieceEncoder>> build(
      const model::ModelFile& file, std::shared_ptr<const model::Vocabulary> vocabulary);

  Result<void> encode(std::string_view segment, Workspace& workspace, CancelFlag cancelled,
                      std::vector<TokenId>& out) const override;

  /// Whether encoding puts a space in front of the text, which decoding takes away again.
  bool adds_space_prefix() const { return options_.add_space_prefix; }

 private:
  struct Options {
    bool add_space_prefix = true;
    bool remove_extra_spaces = false;
  };
  static Result<Options> read_options(const model::ModelFile& file);

  SentencepieceEncoder(std::shared_ptr<const model::Vocabulary> vocabulary,
                       SentencepieceMerges tables, Options options)
      : vocabulary_(std::move(vocabulary)), tables_(std::move(tables)), options_(options) {}

  void normalise(std::string_view segment, std::string& text) const;
  /// Length of the piece at the beginning of `text` that merges within itself only.
  std::size_t piece_length(std::string_view text) const;
  bool encode_piece(std::string_view piece, Workspace& workspace, CancelFlag cancelled,
                    std::vector<TokenId>& out) const;
  void read_symbols(std::string_view piece, std::vector<TokenId>& symbols) const;
  void append(TokenId symbol, std::string_view piece, std::vector<TokenId>& out) const;
  void append_unwritten(std::string_view bytes, std::vector<TokenId>& out) const;

  std::shared_ptr<const model::Vocabulary> vocabulary_;
  SentencepieceMerges tables_;
  Options options_;
};

}  // namespace troupe::bpe
