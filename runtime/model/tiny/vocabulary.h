#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::model::tiny {

/// A vocabulary as GGUF stores it, with the ids of its special tokens.
struct Vocabulary {
  std::vector<std::string> tokens;
  std::vector<std::int32_t> types;  // of kTokenType..., one per token
  std::vector<float> scores;        // one per token; empty for byte-level BPE
  std::vector<std::string> merges;  // "left right" in order of rank; empty for SentencePiece
  std::uint32_t bos = 0;
  std::uint32_t eos = 0;
  std::uint32_t unknown = 0;
  std::uint32_t end_of_turn = 0;  // <|im_end|>
};

inline constexpr std::int32_t kTokenTypeNormal = 1;
inline constexpr std::int32_t kTokenTypeUnknown = 2;
inline constexpr std::int32_t kTokenTypeControl = 3;
inline constexpr std::int32_t kTokenTypeByte = 6;

/// Byte-level BPE: <|endoftext|>, <|im_start|>, <|im_end|> are ids 0 to 2, then one token per byte,
/// then what the merges make.
Vocabulary byte_level_vocabulary();

/// SentencePiece BPE: <unk>, <s>, </s> are ids 0 to 2, then <0x00> to <0xFF>, <|im_start|>,
/// <|im_end|>, then pieces with falling scores.
Vocabulary sentence_piece_vocabulary();

}  // namespace troupe::model::tiny
