#pragma once
#include <span>
#include <string>
#include <string_view>

namespace troupe::bpe {

/// How a family of vocabularies cuts text into pieces before merging: what `tokenizer.ggml.pre`
/// names. The expressions are applied one after the other, each to the pieces that the one before
/// left; what lies between two matches is a piece as well.
struct SplitRule {
  std::string_view names;  // all names of the rule, separated by spaces
  std::span<const std::string_view> expressions;
  bool nfc = false;            // text is brought to Unicode normal form C first
  bool ignore_merges = false;  // a piece that is a token is that token, whatever the merges say
  bool add_bos = false;        // unless the file says otherwise
};

/// The rule called `name`; nullptr when there is none.
const SplitRule* find_split_rule(std::string_view name);

/// All names, sorted, for messages: "a, b, c".
std::string split_rule_names();

}  // namespace troupe::bpe
