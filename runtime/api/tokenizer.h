#pragma once
#include "troupe/api/operator.h"
#include "troupe/api/request.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The tokens of a model as bytes. Immutable; shared by all who need to turn ids into text.
class TokenTable {
 public:
  virtual ~TokenTable() = default;
  /// Number of token ids; ids run from 0 to size() - 1.
  virtual std::int32_t size() const = 0;
  /// The bytes a token stands for in generated text; empty for control tokens.
  /// Pre: 0 <= id < size(). The view lives as long as the table.
  virtual std::string_view bytes(TokenId id) const = 0;
  /// Whether the token is a control token (such as <|im_end|>), which is no part of the text.
  virtual bool is_control(TokenId id) const = 0;
  /// Tokens that end generation: end of sequence, end of turn. Ascending.
  virtual std::span<const TokenId> end_of_generation() const = 0;
};

/// A tokenized request, ready to be scheduled.
struct TokenizedRequest {
  RequestPtr request;
  std::vector<TokenId> prompt_ids;
  std::shared_ptr<const TokenTable> tokens;
  std::vector<std::vector<TokenId>> bad_words;  // the request's, as token ids: none is empty
};

using TokenizedRequestPtr = std::shared_ptr<const TokenizedRequest>;

/// What a streamed decode has seen so far; one per choice, held by the caller.
struct DecodeState {
  std::string pending;  // bytes of a character that is not complete yet: at most 3
  /// Whether text stands before what is decoded next, be it of the prompt. Some vocabularies write
  /// a space in front of every word: at the very beginning of a text it is no part of it.
  bool started = false;
  bool show_control = false;  // control tokens appear as their names, such as <|im_end|>
};

struct EncodeOptions {
  /// Adds the tokens the model wants around a prompt (BOS, EOS), unless the text already begins
  /// with them.
  bool add_special = true;
};

/// Turns text into token ids and back. Const: any thread may call it.
class Tokenizer : public Operator {
 public:
  /// Token ids of a prompt. Control tokens are found only in trusted pieces and never across pieces
  /// of different trust; apart from that the pieces are tokenized as one text. Errors:
  /// invalid_argument (text the vocabulary cannot express), cancelled (`cancelled` became true).
  virtual Result<std::vector<TokenId>> encode(
      std::span<const PromptPiece> prompt, EncodeOptions options,
      const std::atomic<bool>* cancelled = nullptr) const = 0;

  /// Appends to `out` the text that `id` completes: whole UTF-8 characters only, with U+FFFD in
  /// place of bytes that can be none. Control tokens add nothing unless `state` says otherwise.
  /// Pre: `id` is in the vocabulary.
  virtual void decode(DecodeState& state, TokenId id, std::string& out) const = 0;

  /// As decode, but of the first `keep_bytes` of the token's bytes only: the token in which a stop
  /// string begins. To be overridden where the text of a token is not simply its bytes.
  virtual void decode_part(DecodeState& state, TokenId id, std::size_t keep_bytes,
                           std::string& out) const {
    std::string whole;
    decode(state, id, whole);
    out += whole.substr(0, keep_bytes);
  }

  /// Appends what is still pending at the end of a choice.
  virtual void finish(DecodeState& state, std::string& out) const = 0;

  virtual std::shared_ptr<const TokenTable> tokens() const = 0;
};

}  // namespace troupe
