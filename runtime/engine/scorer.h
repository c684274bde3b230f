#pragma once
#include "troupe/engine/single_operators.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace troupe {

/// Runs one text through a model and shows the logits at every position: for scores, perplexity and
/// comparisons with other engines. Uses the plugins' objects directly, without a pipeline.
class Scorer {
 public:
  /// Creates and starts the tokenizer and the executor of the pipeline's first token loop, with the
  /// model, precision and parameters the pipeline gives them. `spec` and `catalog` must outlive
  /// the scorer. Errors: those of the two operators.
  static Result<std::unique_ptr<Scorer>> open(const pipeline::PipelineSpec& spec,
                                              const Catalog& catalog);

  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const ExecutorInfo& info() const { return executor_->info(); }

  /// Called for each position in order, with the logits that follow the token there: float32
  /// [vocab_size].
  using OnLogits = std::function<void(std::size_t position, std::span<const float> logits)>;

  /// Errors: invalid_argument (no token, ids out of range, longer than the context), those of the
  /// executor.
  Result<void> logits(std::span<const TokenId> ids, const OnLogits& on_logits);

  /// The log-probability of each token given those before it, from the second on: size is
  /// ids.size() - 1. Logits past the last token of the tokenizer do not count.
  Result<std::vector<double>> log_probabilities(std::span<const TokenId> ids);

 private:
  Scorer(const pipeline::PipelineSpec& spec, const Catalog& catalog) : operators_(spec, catalog) {}
  Result<void> step(std::span<const TokenId> ids, std::size_t from, std::size_t count,
                    const OnLogits& on_logits);

  SingleOperators operators_;
  Tokenizer* tokenizer_ = nullptr;
  Executor* executor_ = nullptr;
  StepPlan plan_;
};

}  // namespace troupe
