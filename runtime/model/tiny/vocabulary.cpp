#include "troupe/model/tiny/vocabulary.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::model::tiny {
namespace {

// Words that become tokens, with all their beginnings; a leading space belongs to the word.
constexpr std::array<std::string_view, 50> kWords = {
    " the",  " of",   " and",  " to",     " a",    " in",    " is",       " it",    " you", " that",
    " he",   " was",  " for",  " on",     " are",  " with",  " as",       " they",  " be",  " have",
    " this", " from", " sky",  " blue",   " sun",  " light", " day",      " red",   " sea", " cat",
    " dog",  " once", " time", " little", " said", " happy", " we",       " can",   " not", " what",
    "ing",   "er",    "ly",    "Hello",   "Why",   "user",   "assistant", "system", "\n\n", "  "};

// Characters of two and three bytes, which only byte-level BPE merges from bytes.
constexpr std::array<std::string_view, 3> kCharacters = {"\u00e9", "\u00fc", "\u20ac"};

std::string utf8(unsigned code_point) {
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  return {static_cast<char>(0xc0 | (code_point >> 6)), static_cast<char>(0x80 | (code_point & 63))};
}

/// The characters that stand for the 256 bytes in byte-level BPE: itself for a printable byte of
/// Latin-1, else the next one from U+0100 on. Source: the GPT-2 encoder.
std::array<std::string, 256> byte_characters() {
  std::array<std::string, 256> characters;
  unsigned next = 256;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
    characters[byte] = utf8(printable ? byte : next++);
  }
  return characters;
}

class Builder {
 public:
  std::uint32_t add(std::string token, std::int32_t type = kTokenTypeNormal, float score = 0) {
    vocabulary_.tokens.push_back(std::move(token));
    vocabulary_.types.push_back(type);
    vocabulary_.scores.push_back(score);
    return static_cast<std::uint32_t>(vocabulary_.tokens.size() - 1);
  }

  bool has(std::string_view token) const {
    return std::ranges::find(vocabulary_.tokens, token) != vocabulary_.tokens.end();
  }

  Vocabulary& vocabulary() { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

/// Adds the merges that build `word` from its bytes, from left to right, and the tokens they make.
void add_merges(Builder& builder, std::string_view word,
                const std::array<std::string, 256>& bytes) {
  std::string made;
  for (const char c : word) {
    const auto& character = bytes[static_cast<unsigned char>(c)];
    if (!made.empty() && !builder.has(made + character)) {
      builder.vocabulary().merges.push_back(made + " " + character);
      builder.add(made + character);
    }
    made += character;
  }
}

/// Adds all beginnings of a piece, each with a lower score than the one before.
void add_pieces(Builder& builder, std::string_view word, float& score) {
  std::string made;
  for (const char c : word) {
    made += c == ' ' ? "\u2581" : std::string(1, c);
    if (!builder.has(made)) builder.add(made, kTokenTypeNormal, score -= 1);
  }
}

std::string byte_token(unsigned byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return std::string("<0x") + kDigits[byte >> 4] + kDigits[byte & 15] + ">";
}

}  // namespace

Vocabulary byte_level_vocabulary() {
  Builder builder;
  auto& vocabulary = builder.vocabulary();
  vocabulary.unknown = builder.add("<|endoftext|>", kTokenTypeControl);
  vocabulary.bos = builder.add("<|im_start|>", kTokenTypeControl);
  vocabulary.eos = builder.add("<|im_end|>", kTokenTypeControl);
  vocabulary.end_of_turn = vocabulary.eos;
  const auto bytes = byte_characters();
  for (const auto& character : bytes)
    builder.add(character);
  for (const auto word : kWords)
    add_merges(builder, word, bytes);
  for (const auto character : kCharacters)
    add_merges(builder, character, bytes);
  vocabulary.scores.clear();
  return vocabulary;
}

Vocabulary sentence_piece_vocabulary() {
  Builder builder;
  auto& vocabulary = builder.vocabulary();
  vocabulary.unknown = builder.add("<unk>", kTokenTypeUnknown);
  vocabulary.bos = builder.add("<s>", kTokenTypeControl);
  vocabulary.eos = builder.add("</s>", kTokenTypeControl);
  for (unsigned byte = 0; byte < 256; ++byte)
    builder.add(byte_token(byte), kTokenTypeByte);
  builder.add("<|im_start|>", kTokenTypeControl);
  vocabulary.end_of_turn = builder.add("<|im_end|>", kTokenTypeControl);
  float score = 0;
  for (const auto word : kWords)
    if (word[0] != '\n') add_pieces(builder, word, score);
  for (char c = '!'; c <= '~'; ++c)
    add_pieces(builder, std::string(1, c), score);
  for (const auto character : kCharacters)
    builder.add(std::string(character), kTokenTypeNormal, score -= 1);
  return vocabulary;
}

}  // namespace troupe::model::tiny
