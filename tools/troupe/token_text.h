#pragma once
#include "troupe/api/tokenizer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::program {

/// A token as people read it: control tokens by their names, such as "<|im_end|>".
/// Pre: 0 <= id < table.size().
std::string_view token_text(const TokenTable& table, TokenId id);

/// The text of `ids`: whole characters, with U+FFFD for bytes that can be none. Control tokens show
/// their names, or nothing. Pre: ids are in the vocabulary.
std::string decode(const Tokenizer& tokenizer, std::span<const TokenId> ids, bool show_control);

/// Token ids as people and programs write them: a JSON array, a JSON object with such an array
/// under "ids" or "token_ids", or numbers with spaces or commas between them. Errors:
/// invalid_argument, with what was found, also for ids outside the vocabulary.
Result<std::vector<TokenId>> parse_ids(std::string_view text, const TokenTable& table);

/// Ids as a JSON array.
Value ids_to_value(std::span<const TokenId> ids);

}  // namespace troupe::program
