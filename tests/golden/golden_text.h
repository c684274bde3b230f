#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/result.h"
#include "troupe/api/value.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe::golden {

/// The model file that a fixture was made from.
struct ModelIdentity {
  std::string file;
  std::int64_t bytes = 0;
};

/// One string of the hostile corpus and the ids of two tokenizations of it.
struct TokenCase {
  std::string name;
  std::string text;                  // UTF-8
  std::vector<TokenId> ids;          // as user content, without BOS
  std::vector<TokenId> special_ids;  // as trusted text: control tokens are found in it
  bool has_special_ids = false;      // false: special_ids are ids (sentencepiece reads none)
  bool is_expressible = true;        // false: the vocabulary lacks a byte, which `ids` leaves out
};

/// A STEM.tokens.json fixture.
struct GoldenTokens {
  ModelIdentity model;
  std::vector<TokenCase> cases;
};

struct GoldenPrompt {
  std::string name;
  std::string text;
  std::vector<TokenId> ids;  // with BOS where the model wants it
};

/// What the oracle says after a prompt when it always takes the largest logit.
struct Continuation {
  std::string prompt;  // name of a GoldenPrompt
  std::vector<TokenId> ids;
  std::vector<TokenId> runner_up;  // id of the second largest logit at each step
  std::vector<double> margin;      // largest minus second largest logit at each step
};

struct GoldenPerplexity {
  std::string text;
  std::vector<TokenId> ids;
  std::vector<double> logprobs;  // natural logarithm, of ids[1], ids[2], ...
  double perplexity = 0;
};

/// A STEM.text.json fixture.
struct GoldenText {
  ModelIdentity model;
  std::vector<GoldenPrompt> prompts;
  std::vector<Continuation> continuations;
  GoldenPerplexity perplexity;
};

/// Parses the fixtures. Errors: invalid_argument naming the key that is absent or has another type.
Result<GoldenTokens> parse_golden_tokens(std::string_view json);
Result<GoldenText> parse_golden_text(std::string_view json);

/// Read and parse; the errors carry the path.
Result<GoldenTokens> read_golden_tokens(const std::filesystem::path& path);
Result<GoldenText> read_golden_text(const std::filesystem::path& path);

}  // namespace troupe::golden
