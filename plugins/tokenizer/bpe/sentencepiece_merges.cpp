#include "sentencepiece_merges.h"

#include "troupe/core/utf8.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace troupe::bpe {
namespace {

using model::TokenType;

constexpr std::string_view kScoresKey = "tokenizer.ggml.scores";
/// All ways to divide a token in two are tried: this bounds what a hostile file can cost.
constexpr std::size_t kMaxTokenBytes = 512;

struct Division {
  TokenId left, right, result;
};

/// User-defined tokens are found in the text before; but a text that comes to one only by
/// normalisation makes it by merging.
bool is_made_by_merging(const model::Vocabulary& vocabulary, TokenId id) {
  const TokenType type = vocabulary.type(id);
  return (type == TokenType::normal || type == TokenType::user_defined) &&
         !vocabulary.text(id).empty();
}

/// Ranks by falling score; tokens of equal score have equal rank.
std::vector<std::uint32_t> ranks_of(std::span<const double> scores) {
  std::vector<std::uint32_t> order(scores.size()), ranks(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && scores[order[i]] != scores[order[i - 1]]) ++rank;
    ranks[order[i]] = rank;
  }
  return ranks;
}

Result<std::span<const double>> read_scores(const model::ModelFile& file, std::size_t count) {
  if (file.metadata(kScoresKey) == nullptr)
    return fail(
        ErrorCode::not_found,
        std::string(kScoresKey) + ": the file has no scores, which SentencePiece BPE needs");
  const auto scores = file.find_doubles(kScoresKey);
  if (!scores) return fail(scores.error());
  if (scores->size() != count)
    return fail(ErrorCode::invalid_argument,
                std::string(kScoresKey) + ": " + std::to_string(scores->size()) + " scores for " +
                    std::to_string(count) + " tokens; expected one each");
  const auto nan = std::find_if(scores->begin(), scores->end(), [](double s) { return s != s; });
  if (nan != scores->end())
    return fail(ErrorCode::invalid_argument, std::string(kScoresKey) + ": score " +
                                                 std::to_string(nan - scores->begin()) +
                                                 " is not a number");
  return *scores;
}

/// Offsets at which characters of `text` begin; ill-formed bytes count as characters.
std::vector<std::size_t> character_begins(std::string_view text) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); i += read_utf8(text, i).length)
    begins.push_back(i);
  return begins;
}

/// Goes over the tokens twice: first all texts become known, then the divisions are found.
class Builder {
 public:
  explicit Builder(const model::Vocabulary& vocabulary)
      : vocabulary_(vocabulary), pieces_(static_cast<std::size_t>(vocabulary.size())) {
    for (TokenId id = 0; id < vocabulary.size(); ++id)
      if (is_made_by_merging(vocabulary, id)) pieces_.insert(vocabulary.text(id), id);
    for (TokenId id = 0; id < vocabulary.size(); ++id)
      if (is_made_by_merging(vocabulary, id)) note_characters(vocabulary.text(id));
  }

  SentencepieceMerges build(std::span<const std::uint32_t> ranks) {
    for (TokenId id = 0; id < vocabulary_.size(); ++id)
      if (is_made_by_merging(vocabulary_, id)) divide(id);
    MergeTable merges(divisions_.size());
    for (const auto& [left, right, result] : divisions_)
      merges.insert(left, right, {ranks[static_cast<std::size_t>(result)], result});
    return {std::move(pieces_), std::move(merges), std::move(loose_), joins_};
  }

 private:
  void note_characters(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t length = read_utf8(text, i).length;
      const auto character = text.substr(i, length);
      i += length;
      if (pieces_.find(character) >= 0) continue;
      pieces_.insert(character, vocabulary_.size() + static_cast<TokenId>(loose_.size()));
      loose_.push_back(character);
    }
  }

  void divide(TokenId id) {
    const auto text = vocabulary_.text(id);
    for (std::size_t i = 1; i < text.size(); ++i)
      if (text[i] == ' ' && text[i - 1] != ' ')
        joins_[static_cast<std::uint8_t>(text[i - 1])] = true;
    for (const auto at : character_begins(text)) {
      const TokenId left = pieces_.find(text.substr(0, at));
      if (left < 0) continue;
      const TokenId right = pieces_.find(text.substr(at));
      if (right >= 0) divisions_.push_back({left, right, pieces_.find(text)});
    }
  }

  const model::Vocabulary& vocabulary_;
  PieceIndex pieces_;
  std::vector<std::string_view> loose_;
  std::vector<Division> divisions_;
  std::array<bool, 256> joins_{};
};

}  // namespace

Result<SentencepieceMerges> build_sentencepiece_merges(const model::ModelFile& file,
                                                       const model::Vocabulary& vocabulary) {
  const auto scores = read_scores(file, static_cast<std::size_t>(vocabulary.size()));
  if (!scores) return fail(scores.error());
  for (TokenId id = 0; id < vocabulary.size(); ++id)
    if (is_made_by_merging(vocabulary, id) && vocabulary.text(id).size() > kMaxTokenBytes)
      return fail(ErrorCode::invalid_argument,
                  "tokenizer.ggml.tokens: token " + std::to_string(id) + " has " +
                      std::to_string(vocabulary.text(id).size()) + " bytes; expected at most " +
                      std::to_string(kMaxTokenBytes));
  return Builder(vocabulary).build(ranks_of(*scores));
}

}  // namespace troupe::bpe
