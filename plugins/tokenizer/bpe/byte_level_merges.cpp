#include "byte_level_merges.h"

#include "troupe/model/byte_alphabet.h"
#include "troupe/model/quote.h"

#include <string>
#include <unordered_set>

namespace troupe::bpe {
namespace {

using model::TokenType;

constexpr std::string_view kMergesKey = "tokenizer.ggml.merges";

using Texts = std::unordered_set<std::string_view>;

Texts control_texts(const model::Vocabulary& vocabulary) {
  Texts texts;
  for (TokenId id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.is_control(id)) texts.insert(vocabulary.text(id));
  return texts;
}

/// One merge as text: both parts as the file writes them.
struct MergeText {
  std::string_view left, right;
};

std::optional<MergeText> parse(std::string_view text) {
  const auto space = text.find(' ', 1);  // no alphabet holds a space, so the first one divides
  if (space == std::string_view::npos || space + 1 == text.size()) return std::nullopt;
  return MergeText{text.substr(0, space), text.substr(space + 1)};
}

/// Finds the tokens of merges by the way the file writes them.
class MergeReader {
 public:
  MergeReader(const model::Vocabulary& vocabulary, const PieceIndex& pieces)
      : pieces_(pieces), controls_(control_texts(vocabulary)) {}

  /// Ids of left, right and result; -1 for a token that is not there.
  struct Ids {
    TokenId left, right, result;
  };
  Ids look_up(const MergeText& merge) {
    const TokenId left = id_of(merge.left), right = id_of(merge.right);
    whole_.assign(merge.left).append(merge.right);
    return {left, right, id_of(whole_)};
  }

  bool touches_control(const MergeText& merge) {
    whole_.assign(merge.left).append(merge.right);
    return controls_.contains(merge.left) || controls_.contains(merge.right) ||
           controls_.contains(whole_);
  }

  static std::string_view absent(const MergeText& merge, const Ids& ids, std::string& buffer) {
    if (ids.left < 0) return merge.left;
    if (ids.right < 0) return merge.right;
    buffer.assign(merge.left).append(merge.right);
    return buffer;
  }

 private:
  TokenId id_of(std::string_view written) {
    bytes_.clear();
    return model::read_alphabet(written, bytes_) ? pieces_.find(bytes_) : -1;
  }

  const PieceIndex& pieces_;
  Texts controls_;
  std::string bytes_, whole_;
};

tl::unexpected<Error> bad_merge(std::size_t index, std::string_view text, std::string message) {
  return fail(ErrorCode::invalid_argument, std::string(kMergesKey) + ": merge " +
                                               std::to_string(index) + " " + model::quote(text) +
                                               " " + message);
}

}  // namespace

Result<PieceIndex> index_pieces(const model::ModelFile& file, const model::Vocabulary& vocabulary) {
  const auto tokens = file.find_strings("tokenizer.ggml.tokens");
  if (!tokens) return fail(tokens.error());
  PieceIndex pieces(tokens->size());
  std::string bytes;
  // Added tokens last: of two with one text, the one that merges make is meant.
  for (const bool added : {false, true})
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
      if (vocabulary.is_control(id) || vocabulary.text(id).empty()) continue;
      if (added != (vocabulary.type(id) == TokenType::user_defined)) continue;
      bytes.clear();
      if (added || model::read_alphabet((*tokens)[static_cast<std::size_t>(id)], bytes))
        pieces.insert(vocabulary.text(id), id);
    }
  return pieces;
}

Result<MergeTable> read_merges(const model::ModelFile& file, const model::Vocabulary& vocabulary,
                               const PieceIndex& pieces) {
  if (file.metadata(kMergesKey) == nullptr)
    return fail(ErrorCode::not_found,
                std::string(kMergesKey) + ": the file has no merges, which byte-level BPE needs");
  const auto merges = file.find_strings(kMergesKey);
  if (!merges) return fail(merges.error());
  MergeTable table(merges->size());
  MergeReader reader(vocabulary, pieces);
  for (std::size_t i = 0; i < merges->size(); ++i) {
    const auto text = (*merges)[i];
    const auto merge = parse(text);
    if (!merge) return bad_merge(i, text, "is not two parts with a space between");
    const auto ids = reader.look_up(*merge);
    if (ids.left >= 0 && ids.right >= 0 && ids.result >= 0) {
      table.insert(ids.left, ids.right, {static_cast<std::uint32_t>(i), ids.result});
      continue;
    }
    if (reader.touches_control(*merge)) continue;
    std::string buffer;
    return bad_merge(i, text,
                     "names " + model::quote(reader.absent(*merge, ids, buffer)) +
                         ", which is no token of the vocabulary");
  }
  return table;
}

}  // namespace troupe::bpe
