#pragma once
#include "troupe/api/blocks.h"
#include "troupe/api/ids.h"
#include "troupe/api/result.h"
#include "troupe/api/sampling.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// Which rows of logits a segment wants.
enum class RowsWanted : std::uint8_t { none, last, all };

/// One sequence's share of a step: `num_tokens` tokens at positions first_position, first_position
/// + 1, ...
struct StepSegment {
  SequenceId sequence;
  std::int32_t first_position = 0;
  std::int32_t num_tokens = 0;
  std::uint32_t token_offset = 0;  // its tokens start here in StepPlan::token_ids
  std::uint32_t block_offset = 0;  // its block table starts here in StepPlan::block_ids
  std::uint32_t num_blocks = 0;    // >= ceil((first_position + num_tokens) / kBlockSize); those
                                   // that a sliding window has left are kNoBlock
  RowsWanted rows = RowsWanted::none;
  std::uint32_t first_row = 0;  // its first row in the step's logits, when it wants any

  std::uint32_t num_rows() const {
    return rows == RowsWanted::none   ? 0
           : rows == RowsWanted::last ? 1u
                                      : static_cast<std::uint32_t>(num_tokens);
  }
};

class TokenTable;

/// How one row of logits becomes a token, or is asked about one. Pointers live until the step is
/// complete.
struct SampleRow {
  SequenceId sequence;
  std::uint32_t row = 0;  // in the step's logits; choices of one prompt may draw from the same row
  const SamplingParams* params = nullptr;
  std::span<const TokenId> history;      // prompt and output so far
  std::int32_t prompt_tokens = 0;        // how many of `history` are the prompt
  std::int32_t position = 0;             // of the token to be drawn; keys the random draw
  std::span<const TokenId> banned = {};  // ids that may not be drawn (min_tokens)
  std::uint64_t seed = 0;                // of this choice
  /// >= 0: no token is drawn; the row tells the log-probability of this one, which stands there in
  /// the prompt, and of params->prompt_logprobs others.
  TokenId scored = -1;
  std::span<const std::vector<TokenId>> bad_words = {};
  const TokenTable* tokens = nullptr;  // the text of ids, for sequence breakers; may be absent
  /// SampledToken::surprise of every output token in `history`; of use with mirostat only.
  std::span<const float> surprises = {};
};

/// Everything a step needs beside the key-value blocks it names: an executor that was rebuilt a
/// moment ago can run it. Memory operations come first: swap_outs, copies, swap_ins. A plan may
/// have nothing but memory operations.
struct StepPlan {
  StepId step;
  std::vector<BlockCopy> copies;
  std::vector<BlockSwap> swap_outs;
  std::vector<BlockSwap> swap_ins;
  std::vector<StepSegment> segments;
  std::vector<TokenId> token_ids;  // of all segments, one after the other
  std::vector<BlockId> block_ids;  // block tables of all segments
  std::uint32_t num_rows = 0;      // rows of logits wanted in all
  std::vector<SampleRow> samples;  // for the sampler; the executor does not look at them
  std::int32_t vocab_size = 0;     // of the tokenizer: logits from here on are padding; 0 = none is

  /// Whether there is nothing to do.
  bool empty() const {
    return segments.empty() && copies.empty() && swap_outs.empty() && swap_ins.empty();
  }

  void clear() {
    copies.clear();
    swap_outs.clear();
    swap_ins.clear();
    segments.clear();
    token_ids.clear();
    block_ids.clear();
    samples.clear();
    num_rows = 0;
    vocab_size = 0;
  }
};

/// Logits of a step: float32 [num_rows, vocab_size], in the executor's memory, on the host.
/// Valid until the executor's next submit.
struct LogitsView {
  const float* data = nullptr;
  std::uint32_t num_rows = 0;
  std::int32_t vocab_size = 0;

  std::span<const float> row(std::uint32_t index) const {
    return {data + static_cast<std::size_t>(index) * static_cast<std::size_t>(vocab_size),
            static_cast<std::size_t>(vocab_size)};
  }
};

struct StepTimings {
  double total_us = 0;
  double attention_us = 0;
  double matmul_us = 0;
  double swap_us = 0;  // of all swap_outs and swap_ins
};

/// What became of a step.
struct StepResult {
  StepId step;
  std::optional<Error> error;  // the whole step failed: no segment's keys and values can be trusted
  LogitsView logits;
  /// Sequences whose logits were not finite, with the layer or row in the message; the others are
  /// good.
  std::vector<std::pair<SequenceId, Error>> failed;
  /// Sequences whose blocks could not be swapped out or in (a checksum, the file system): what they
  /// have in this step's rows and in their blocks is worth nothing, but they can be computed again.
  std::vector<SequenceId> lost;
  std::string lost_reason;  // of the first of them, for people; empty when none was lost
  StepTimings timings;

  void clear() {
    error.reset();
    logits = {};
    failed.clear();
    lost.clear();
    lost_reason.clear();
    timings = {};
  }
};

/// One drawn token.
struct SampledToken {
  SequenceId sequence;
  TokenId token = 0;
  std::optional<TokenLogprob> chosen;  // when log-probabilities were asked for
  std::vector<TokenLogprob> top;
  /// Bits: -log2 of the probability with which the token was drawn, after all filters. Set with
  /// mirostat.
  std::optional<float> surprise;
  /// Set when no token could be drawn (a row that is not finite, no candidate left): ends this
  /// request only.
  std::optional<Error> error;
};

struct SampledTokens {
  StepId step;
  std::vector<SampledToken> tokens;  // one per SampleRow, in that order
};

}  // namespace troupe
