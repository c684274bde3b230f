#pragma once
#include "piece_index.h"
#include "splitter.h"
#include "text_encoder.h"
#include "troupe/model/model_file.h"
#include "troupe/model/vocabulary.h"

#include <array>
#include <memory>

namespace troupe::bpe {

/// What to do with bytes of well-formed text for which the vocabulary has no token. Vocabularies
/// that were trained without all 256 bytes lack some control characters and the lead bytes of
/// unassigned planes.
enum class MissingBytes : std::uint8_t {
  drop,    // leave the byte out, as the tokenizers do that these models were trained with
  refuse,  // invalid_argument, naming the byte
};

/// Byte-level BPE: text is cut into pieces by the vocabulary's split rule, and the bytes of each
/// piece are merged. Ill-formed bytes become byte tokens, one each, or, where those are missing,
/// the tokens of U+FFFD for each ill-formed unit.
/// Source: A. Radford et al., "Language Models are Unsupervised Multitask Learners", 2019.
class ByteLevelEncoder final : public TextEncoder {
 public:
  /// Reads the merges. Errors: not_found (no merges), invalid_argument (a merge that names an
  /// absent token; a vocabulary without the bytes that ordinary text is made of), internal.
  static Result<std::unique_ptr<ByteLevelEncoder>> build(
      const model::ModelFile& file, std::shared_ptr<const model::Vocabulary> vocabulary,
      const SplitRule& rule, MissingBytes missing);

  Result<void> encode(std::string_view segment, Workspace& workspace, CancelFlag cancelled,
                      std::vector<TokenId>& out) const override;

 private:
  ByteLevelEncoder(std::shared_ptr<const model::Vocabulary> vocabulary, const SplitRule& rule,
                   Splitter splitter, PieceIndex pieces, MergeTable merges, MissingBytes missing);

  Result<void> encode_text(std::string_view text, Workspace& workspace, CancelFlag cancelled,
                           std::vector<TokenId>& out) const;
  bool encode_piece(std::string_view piece, Workspace& workspace, CancelFlag cancelled,
                    std::vector<TokenId>& out) const;
  void encode_ill_formed(std::string_view unit, std::vector<TokenId>& out) const;
  Result<void> check_bytes(std::string_view text) const;

  std::shared_ptr<const model::Vocabulary> vocabulary_;
  const SplitRule* rule_;
  Splitter splitter_;
  PieceIndex pieces_;
  MergeTable merges_;
  MissingBytes missing_;
  std::array<TokenId, 256> bytes_{};  // -1: missing
};

}  // namespace troupe::bpe
