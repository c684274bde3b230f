#include "bpe_tokenizer.h"

#include "byte_level_encoder.h"
#include "sentencepiece_encoder.h"
#include "troupe/api/check.h"
#include "troupe/core/utf8.h"
#include "troupe/model/quote.h"

#include <limits>
#include <utility>

namespace troupe::bpe {
namespace {

/// Offsets within a prompt fit 31 bits.
constexpr std::size_t kMaxPromptBytes = std::size_t{1} << 30;

Result<const SplitRule*> choose_split_rule(const model::ModelFile& file,
                                           const std::string& override_name) {
  std::string name = override_name;
  if (name.empty()) {
    const auto found = file.find_string("tokenizer.ggml.pre");
    if (!found) return fail(found.error());
    if (!*found)
      return fail(ErrorCode::not_found,
                  "tokenizer.ggml.pre: the file does not say how text is split; set the "
                  "tokenizer's parameter split_rule to one of: " +
                      split_rule_names());
    name = **found;
  }
  if (const SplitRule* rule = find_split_rule(name)) return rule;
  return fail(ErrorCode::unsupported,
              "tokenizer.ggml.pre: " + model::quote(name) +
                  " is a way of splitting text that this build does not know; it knows " +
                  split_rule_names());
}

}  // namespace

Result<std::unique_ptr<BpeTokenizer>> BpeTokenizer::build(const model::ModelFile& file,
                                                          const TokenizerOptions& options) {
  auto vocabulary = model::Vocabulary::read(file);
  if (!vocabulary) return fail(vocabulary.error());
  if ((*vocabulary)->kind() == model::VocabularyKind::byte_level)
    return build_byte_level(file, std::move(*vocabulary), options);
  return build_sentencepiece(file, std::move(*vocabulary));
}

Result<std::unique_ptr<BpeTokenizer>> BpeTokenizer::build_byte_level(
    const model::ModelFile& file, std::shared_ptr<const model::Vocabulary> vocabulary,
    const TokenizerOptions& options) {
  const auto rule = choose_split_rule(file, options.split_rule);
  if (!rule) return fail(rule.error());
  const auto ends = read_ends(file, *vocabulary, (*rule)->add_bos);
  if (!ends) return fail(ends.error());
  const auto missing = options.refuse_missing_bytes ? MissingBytes::refuse : MissingBytes::drop;
  auto encoder = ByteLevelEncoder::build(file, vocabulary, **rule, missing);
  if (!encoder) return fail(encoder.error());
  return std::unique_ptr<BpeTokenizer>(
      new BpeTokenizer(std::move(vocabulary), std::move(*encoder), *ends, false));
}

Result<std::unique_ptr<BpeTokenizer>> BpeTokenizer::build_sentencepiece(
    const model::ModelFile& file, std::shared_ptr<const model::Vocabulary> vocabulary) {
  const auto ends = read_ends(file, *vocabulary, true);
  if (!ends) return fail(ends.error());
  auto encoder = SentencepieceEncoder::build(file, vocabulary);
  if (!encoder) return fail(encoder.error());
  const bool strips = (*encoder)->adds_space_prefix();
  return std::unique_ptr<BpeTokenizer>(
      new BpeTokenizer(std::move(vocabulary), std::move(*encoder), *ends, strips));
}

Result<BpeTokenizer::Ends> BpeTokenizer::read_ends(const model::ModelFile& file,
                                                   const model::Vocabulary& vocabulary,
                                                   bool bos_by_default) {
  const auto bos = file.find_bool("tokenizer.ggml.add_bos_token");
  if (!bos) return fail(bos.error());
  const auto eos = file.find_bool("tokenizer.ggml.add_eos_token");
  if (!eos) return fail(eos.error());
  const auto& special = vocabulary.special();
  if (bos->value_or(false) && !special.bos)
    return fail(ErrorCode::invalid_argument,
                "tokenizer.ggml.add_bos_token is true, but there is no "
                "tokenizer.ggml.bos_token_id");
  if (eos->value_or(false) && !special.eos)
    return fail(ErrorCode::invalid_argument,
                "tokenizer.ggml.add_eos_token is true, but there is no "
                "tokenizer.ggml.eos_token_id");
  Ends ends;
  if (bos->value_or(bos_by_default)) ends.bos = special.bos;
  if (eos->value_or(false)) ends.eos = special.eos;
  return ends;
}

Result<std::vector<TokenId>> BpeTokenizer::encode(std::span<const PromptPiece> prompt,
                                                  EncodeOptions options,
                                                  CancelFlag cancelled) const {
  std::string text;
  Trust trust;
  for (const PromptPiece& piece : prompt) {
    text += piece.text;
    trust.append(piece.text.size(), piece.trusted);
  }
  if (text.size() > kMaxPromptBytes)
    return fail(ErrorCode::invalid_argument, "the prompt has " + std::to_string(text.size()) +
                                                 " bytes; at most " +
                                                 std::to_string(kMaxPromptBytes) + " are possible");
  std::vector<TokenId> ids;
  ids.reserve(text.size() / 4 + 2);
  auto workspace = workspaces_.take();
  auto encoded = encode_segments(text, trust, *workspace, cancelled, ids);
  workspaces_.give_back(std::move(workspace));
  if (!encoded) return fail(encoded.error());
  if (options.add_special) add_ends(ids);
  return ids;
}

Result<void> BpeTokenizer::encode_segments(std::string_view text, const Trust& trust,
                                           Workspace& workspace, CancelFlag cancelled,
                                           std::vector<TokenId>& out) const {
  for (std::size_t done = 0; done < text.size();) {
    if (is_cancelled(cancelled)) return fail_cancelled();
    const auto added = added_.find(text, done, trust);
    const std::size_t end = added ? added->begin : text.size();
    if (end > done) {
      auto encoded = encoder_->encode(text.substr(done, end - done), workspace, cancelled, out);
      if (!encoded) return encoded;
    }
    if (!added) break;
    out.push_back(added->id);
    done = added->end;
  }
  return {};
}

void BpeTokenizer::add_ends(std::vector<TokenId>& ids) const {
  if (ends_.bos && (ids.empty() || ids.front() != *ends_.bos)) ids.insert(ids.begin(), *ends_.bos);
  if (ends_.eos && (ids.empty() || ids.back() != *ends_.eos)) ids.push_back(*ends_.eos);
}

void BpeTokenizer::decode(DecodeState& state, TokenId id, std::string& out,
                          std::size_t keep_bytes) const {
  TROUPE_CHECK(id >= 0 && id < vocabulary_->size());
  std::string_view bytes = state.show_control ? vocabulary_->text(id) : vocabulary_->bytes(id);
  bytes = bytes.substr(0, keep_bytes);
  if (bytes.empty()) return;
  if (strips_space_ && !state.started && bytes.front() == ' ') bytes.remove_prefix(1);
  state.started = true;
  stream_utf8(state.pending, bytes, out);
}

}  // namespace troupe::bpe
