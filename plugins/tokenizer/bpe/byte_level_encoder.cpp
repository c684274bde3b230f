#include "byte_level_encoder.h"

#include "byte_level_merges.h"
#include "nfc.h"
#include "troupe/core/utf8.h"

#include <utility>

namespace troupe::bpe {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kCancelPeriod = 1024;  // pieces

std::string hex(std::uint8_t byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return {digits[byte >> 4], digits[byte & 15]};
}

/// Whether text in use needs this byte: all that well-formed UTF-8 is made of, but for control
/// characters and the lead bytes of planes 4 to 16, which few texts ever held.
bool is_ordinary(int byte) {
  if (byte < 0x20) return byte == '\t' || byte == '\n' || byte == '\r';
  return byte != 0x7F && byte != 0xC0 && byte != 0xC1 && byte <= 0xF0;
}

Result<void> check_ordinary_bytes(const model::Vocabulary& vocabulary) {
  std::string missing;
  for (int byte = 0; byte < 256; ++byte)
    if (is_ordinary(byte) && !vocabulary.byte_token(static_cast<std::uint8_t>(byte)))
      missing += " " + hex(static_cast<std::uint8_t>(byte));
  if (missing.empty()) return {};
  return fail(ErrorCode::invalid_argument,
              "tokenizer.ggml.tokens: there is no token for the bytes" + missing +
                  ", of which ordinary text is made");
}

}  // namespace

Result<std::unique_ptr<ByteLevelEncoder>> ByteLevelEncoder::build(
    const model::ModelFile& file, std::shared_ptr<const model::Vocabulary> vocabulary,
    const SplitRule& rule, MissingBytes missing) {
  if (auto bytes = check_ordinary_bytes(*vocabulary); !bytes) return fail(bytes.error());
  auto splitter = Splitter::build(rule);
  if (!splitter) return fail(splitter.error());
  auto pieces = index_pieces(file, *vocabulary);
  if (!pieces) return fail(pieces.error());
  auto merges = read_merges(file, *vocabulary, *pieces);
  if (!merges) return fail(merges.error());
  return std::unique_ptr<ByteLevelEncoder>(
      new ByteLevelEncoder(std::move(vocabulary), rule, std::move(*splitter), std::move(*pieces),
                           std::move(*merges), missing));
}

ByteLevelEncoder::ByteLevelEncoder(std::shared_ptr<const model::Vocabulary> vocabulary,
                                   const SplitRule& rule, Splitter splitter, PieceIndex pieces,
                                   MergeTable merges, MissingBytes missing)
    : vocabulary_(std::move(vocabulary)),
      rule_(&rule),
      splitter_(std::move(splitter)),
      pieces_(std::move(pieces)),
      merges_(std::move(merges)),
      missing_(missing) {
  for (std::size_t byte = 0; byte < bytes_.size(); ++byte)
    bytes_[byte] = vocabulary_->byte_token(static_cast<std::uint8_t>(byte)).value_or(-1);
}

Result<void> ByteLevelEncoder::encode(std::string_view segment, Workspace& workspace,
                                      CancelFlag cancelled, std::vector<TokenId>& out) const {
  while (!segment.empty()) {
    const std::size_t good = utf8_prefix(segment);
    if (auto done = encode_text(segment.substr(0, good), workspace, cancelled, out); !done)
      return done;
    segment.remove_prefix(good);
    if (segment.empty()) break;
    const std::size_t bad = read_utf8(segment, 0).length;
    encode_ill_formed(segment.substr(0, bad), out);
    segment.remove_prefix(bad);
  }
  return {};
}

Result<void> ByteLevelEncoder::encode_text(std::string_view text, Workspace& workspace,
                                           CancelFlag cancelled, std::vector<TokenId>& out) const {
  if (rule_->nfc) text = to_nfc(text, workspace.text);
  if (missing_ == MissingBytes::refuse)
    if (auto checked = check_bytes(text); !checked) return checked;
  std::size_t pieces = 0;
  bool stopped = false;
  const auto on_piece = [&](std::string_view piece) {
    stopped = (++pieces % kCancelPeriod == 0 && is_cancelled(cancelled)) ||
              !encode_piece(piece, workspace, cancelled, out);
    return !stopped;
  };
  if (auto done = splitter_.split(text, workspace.patterns, on_piece); !done) return done;
  return stopped ? Result<void>(fail_cancelled()) : Result<void>();
}

bool ByteLevelEncoder::encode_piece(std::string_view piece, Workspace& workspace,
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
  const TokenId whole = rule_->ignore_merges ? pieces_.find(piece) : -1;
  if (whole >= 0) {
    symbols.push_back(whole);
  } else {
    for (const char c : piece)
      if (const TokenId id = bytes_[static_cast<std::uint8_t>(c)]; id >= 0) symbols.push_back(id);
    if (!workspace.merger.run(merges_, symbols, cancelled)) return false;
  }
  if (place != WordCache::kNone) workspace.words.store(place, piece, symbols);
  out.insert(out.end(), symbols.begin(), symbols.end());
  return true;
}

void ByteLevelEncoder::encode_ill_formed(std::string_view unit, std::vector<TokenId>& out) const {
  const auto known = [&](char c) { return bytes_[static_cast<std::uint8_t>(c)] >= 0; };
  // The bytes of U+FFFD are ordinary ones, so that every vocabulary that loads has them.
  if (!std::all_of(unit.begin(), unit.end(), known)) unit = kReplacement;
  for (const char c : unit)
    out.push_back(bytes_[static_cast<std::uint8_t>(c)]);
}

Result<void> ByteLevelEncoder::check_bytes(std::string_view text) const {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (const auto byte = static_cast<std::uint8_t>(text[i]); bytes_[byte] < 0)
      return fail(ErrorCode::invalid_argument, "the vocabulary has no token for the byte " +
                                                   hex(byte) + " at offset " + std::to_string(i) +
                                                   " of a piece of the prompt");
  return {};
}

}  // namespace troupe::bpe
