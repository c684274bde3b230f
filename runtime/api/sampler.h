#pragma once
#include "troupe/api/operator.h"
#include "troupe/api/step.h"

#include <span>

namespace troupe {

/// Rows of logits and how each becomes a token.
struct SampleBatch {
  StepId step;
  LogitsView logits;
  std::span<const SampleRow> rows;
  std::int32_t vocab_size =
      0;  // of the tokenizer: ids from here on are padding and never drawn; 0 = all
};

/// Draws tokens. A pure function of (logits row, parameters, history, seed, position): no state
/// between calls, so that a token never depends on what else is in the batch.
class Sampler : public Operator {
 public:
  /// One token per row, in the order of the rows; `out` is overwritten. A row that cannot be
  /// sampled gets an error of its own.
  virtual void sample(const SampleBatch& batch, SampledTokens& out) const = 0;
};

}  // namespace troupe
