#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/result.h"
#include "troupe/model/model_file.h"

#include <optional>

namespace troupe::model {

/// The ids that a file's tokenizer metadata gives a meaning to, each below the number of tokens.
/// nullopt: the file does not say, and nothing is guessed.
struct SpecialTokens {
  std::optional<TokenId> bos;  // begin of sequence
  std::optional<TokenId> eos;  // end of sequence
  std::optional<TokenId> eot;  // end of turn
  std::optional<TokenId> unknown;
  std::optional<TokenId> padding;
  std::optional<bool> add_bos;  // whether encoding a prompt begins with bos
  std::optional<bool> add_eos;
};

/// Reads the keys `tokenizer.ggml.*_token_id` and `add_*_token`, and checks that the arrays that
/// run along the tokens (scores, token_type) are as long as the tokens. Errors: invalid_argument
/// naming the key.
Result<SpecialTokens> read_special_tokens(const ModelFile& file);

}  // namespace troupe::model
