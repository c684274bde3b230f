#pragma once
#include "troupe/api/request.h"
#include "troupe/pipeline/pipeline_spec.h"

#include <cstdint>
#include <random>
#include <vector>

namespace troupe::program {

/// Makes requests of random tokens for the model of a pipeline: the same ones at every run.
class Prompts {
 public:
  /// Errors: not_found and others, for a pipeline whose model cannot be read.
  static Result<Prompts> for_model(const pipeline::PipelineSpec& spec);

  /// Tokens of ordinary text: the upper half of a vocabulary is, in every tokenizer.
  std::vector<TokenId> tokens(std::int64_t count);

  /// A greedy request that makes exactly `max_tokens` tokens and streams them.
  Request request(std::vector<TokenId> prompt_ids, std::int64_t max_tokens) const;

 private:
  explicit Prompts(TokenId vocab_size) : token_(vocab_size / 2, vocab_size - 1) {}

  std::uniform_int_distribution<TokenId> token_;
  std::mt19937 random_{1};
};

}  // namespace troupe::program
