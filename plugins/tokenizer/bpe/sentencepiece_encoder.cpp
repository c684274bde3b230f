#include "sentencepiece_encoder.h"

#include "troupe/core/utf8.h"

#include <utility>

namespace troupe::bpe {
namespace {

constexpr std::string_view kSpaceMark =
    "\xE2\x96\x81";                          // U+2581, which the file writes for a space
constexpr std::size_t kCancelPeriod = 1024;  // pieces

/// A character that is no symbol is written as a negative number that holds its offset in the
/// piece. -1 and -2 have a meaning of their own in merging.
constexpr TokenId kFirstUnknown = -3;

TokenId unknown_at(std::size_t offset) {
  return kFirstUnknown - static_cast<TokenId>(offset);
}
std::size_t offset_of(TokenId unknown) {
  return static_cast<std::size_t>(kFirstUnknown - unknown);
}

Result<void> check_byte_tokens(const model::Vocabulary& vocabulary) {
  int count = 0;
  for (int byte = 0; byte < 256; ++byte)
    if (vocabulary.byte_token(static_cast<std::uint8_t>(byte))) ++count;
  if (count == 256 || (count == 0 && vocabulary.special().unknown)) return {};
  if (count == 0)
    return fail(ErrorCode::invalid_argument,
                "tokenizer.ggml.tokens: there are no byte tokens (<0x00> to <0xFF>), and no "
                "tokenizer.ggml.unknown_token_id to stand for what no token can write");
  return fail(ErrorCode::invalid_argument,
              "tokenizer.ggml.tokens: only " + std::to_string(count) +
                  " of the 256 byte tokens <0x00> to <0xFF> are there");
}

/// Runs of spaces become one, those at both ends go.
void squeeze_spaces(std::string& text) {
  std::size_t size = 0;
  for (const char c : text)
    if (c != ' ' || (size > 0 && text[size - 1] != ' ')) text[size++] = c;
  if (size > 0 && text[size - 1] == ' ') --size;
  text.resize(size);
}

}  // namespace

Result<SentencepieceEncoder::Options> SentencepieceEncoder::read_options(
    const model::ModelFile& file) {
  Options options;
  const auto prefix = file.find_bool("tokenizer.ggml.add_space_prefix");
  if (!prefix) return fail(prefix.error());
  const auto squeeze = file.find_bool("tokenizer.ggml.remove_extra_whitespaces");
  if (!squeeze) return fail(squeeze.error());
  if (file.metadata("tokenizer.ggml.precompiled_charsmap") != nullptr)
    return fail(ErrorCode::unsupported,
                "tokenizer.ggml.precompiled_charsmap: normalisation by a character map is not "
                "supported; convert the model without one");
  options.add_space_prefix = prefix->value_or(true);
  options.remove_extra_spaces = squeeze->value_or(false);
  return options;
}

Result<std::unique_ptr<SentencepieceEncoder>> SentencepieceEncoder::build(
    const model::ModelFile& file, std::shared_ptr<const model::Vocabulary> vocabulary) {
  if (auto bytes = check_byte_tokens(*vocabulary); !bytes) return fail(bytes.error());
  const auto options = read_options(file);
  if (!options) return fail(options.error());
  auto tables = build_sentencepiece_merges(file, *vocabulary);
  if (!tables) return fail(tables.error());
  return std::unique_ptr<SentencepieceEncoder>(
      new SentencepieceEncoder(std::move(vocabulary), std::move(*tables), *options));
}

void SentencepieceEncoder::normalise(std::string_view segment, std::string& text) const {
  text.clear();
  while (!segment.empty()) {
    const auto mark = segment.find(kSpaceMark);
    text.append(segment.substr(0, mark));
    if (mark == std::string_view::npos) break;
    text.push_back(' ');
    segment.remove_prefix(mark + kSpaceMark.size());
  }
  if (options_.remove_extra_spaces) squeeze_spaces(text);
  if (options_.add_space_prefix && !text.empty()) text.insert(text.begin(), ' ');
}

std::size_t SentencepieceEncoder::piece_length(std::string_view text) const {
  for (std::size_t i = 1; i < text.size(); ++i)
    if (text[i] == ' ' && text[i - 1] != ' ' &&
        !tables_.joins_next_word[static_cast<std::uint8_t>(text[i - 1])])
      return i;
  return text.size();
}

Result<void> SentencepieceEncoder::encode(std::string_view segment, Workspace& workspace,
                                          CancelFlag cancelled, std::vector<TokenId>& out) const {
  normalise(segment, workspace.text);
  std::string_view text = workspace.text;
  std::vector<TokenId> ids;
  for (std::size_t pieces = 1; !text.empty(); ++pieces) {
    if (pieces % kCancelPeriod == 0 && is_cancelled(cancelled)) return fail_cancelled();
    const auto length = piece_length(text);
    if (!encode_piece(text.substr(0, length), workspace, cancelled, ids)) return fail_cancelled();
    text.remove_prefix(length);
  }
  out.insert(out.end(), ids.begin(), ids.end());
  return {};
}

bool SentencepieceEncoder::encode_piece(std::string_view piece, Workspace& workspace,
                                        CancelFlag cancelled, std::vector<TokenId>& out) const {
  const std::size_t place = WordCache::place(piece);
  if (place != WordCache::kNone) {
    bool known = false;
    const auto tokens = workspace.words.find(place, piece, known);
    out.insert(out.end(), tokens.begin(), tokens.end());
    if (known) return true;
  }
  auto& symbols = workspace.symbols;
  symbols.clear();
  read_symbols(piece, symbols);
  if (!workspace.merger.run(tables_.merges, symbols, cancelled)) return false;
  const std::size_t before = out.size();
  bool plain = true;
  for (const TokenId symbol : symbols) {
    plain = plain && symbol >= 0 && symbol < vocabulary_->size();
    append(symbol, piece, out);
  }
  // How an unknown token is written depends on what stands before it: only plain words are kept.
  if (plain && place != WordCache::kNone)
    workspace.words.store(place, piece, std::span(out).subspan(before));
  return true;
}

void SentencepieceEncoder::read_symbols(std::string_view piece,
                                        std::vector<TokenId>& symbols) const {
  for (std::size_t i = 0; i < piece.size();) {
    const std::size_t length = read_utf8(piece, i).length;
    const TokenId id = tables_.pieces.find(piece.substr(i, length));
    symbols.push_back(id >= 0 ? id : unknown_at(i));
    i += length;
  }
}

void SentencepieceEncoder::append(TokenId symbol, std::string_view piece,
                                  std::vector<TokenId>& out) const {
  if (symbol < 0) {
    const std::size_t offset = offset_of(symbol);
    append_unwritten(piece.substr(offset, read_utf8(piece, offset).length), out);
  } else if (symbol >= vocabulary_->size()) {
    const auto index = static_cast<std::size_t>(symbol - vocabulary_->size());
    append_unwritten(tables_.loose_characters[index], out);
  } else {
    out.push_back(symbol);
  }
}

void SentencepieceEncoder::append_unwritten(std::string_view bytes,
                                            std::vector<TokenId>& out) const {
  for (const char c : bytes) {
    if (const auto token = vocabulary_->byte_token(static_cast<std::uint8_t>(c))) {
      out.push_back(*token);
      continue;
    }
    const TokenId unknown = *vocabulary_->special().unknown;
    if (out.empty() || out.back() != unknown) out.push_back(unknown);
    return;
  }
}

}  // namespace troupe::bpe
