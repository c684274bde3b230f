#pragma once
#include "merge_table.h"
#include "piece_index.h"
#include "troupe/api/result.h"
#include "troupe/model/model_file.h"
#include "troupe/model/vocabulary.h"

#include <array>
#include <string_view>
#include <vector>

namespace troupe::bpe {

/// A SentencePiece vocabulary turned into merges of pairs of symbols. A symbol is a token, or a
/// character that occurs inside tokens without being one itself: those get ids from the
/// vocabulary's size on, and `loose_characters[id - size]` is their text.
struct SentencepieceMerges {
  PieceIndex pieces;
  MergeTable merges;
  std::vector<std::string_view> loose_characters;
  /// By byte: whether in some token a space follows this byte. Where none does, merging never
  /// crosses the beginning of a word.
  std::array<bool, 256> joins_next_word{};
};

/// Builds the merges from `tokenizer.ggml.scores`: two symbols merge when their texts join to a
/// token; the higher that token's score, the earlier. The texts belong to the vocabulary.
/// Errors: not_found (no scores), invalid_argument (scores of another length, NaN, a token too
/// long).
Result<SentencepieceMerges> build_sentencepiece_merges(const model::ModelFile& file,
                                                       const model::Vocabulary& vocabulary);

}  // namespace troupe::bpe
