#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace troupe::golden {

/// Some token ids and the oracle's float32 logits of them; both of one length.
struct SampledLogits {
  std::vector<TokenId> ids;
  std::vector<float> logits;
};

/// What a fixture keeps of the oracle's logits at one position (tools/oracle/README.md).
struct LogitsSketch {
  double logsumexp = 0;  // of all logits
  double rest_mass = 0;  // probability of all ids outside the head
  SampledLogits head;    // the largest logits (two at least), descending, ties by lower id
  SampledLogits tail;    // drawn from the rest in proportion to probability; may repeat
  SampledLogits sweep;   // every vocabulary id stands in exactly one position's sweep
};

/// A prompt and the sketch of the logits that follow each of its tokens.
struct PromptSketches {
  std::vector<TokenId> ids;
  std::vector<LogitsSketch> positions;  // as many as ids
};

struct GoldenLogits {
  std::int32_t vocab_size = 0;
  std::vector<PromptSketches> prompts;
};

/// Parses a STEM.logits.bin fixture. Errors: invalid_argument when the bytes are not one: a wrong
/// magic, too short, too long, or an id outside the vocabulary.
Result<GoldenLogits> parse_golden_logits(std::string_view bytes);

/// Reads and parses a fixture. Errors: not_found; those of parse_golden_logits, with the path.
Result<GoldenLogits> read_golden_logits(const std::filesystem::path& path);

}  // namespace troupe::golden
