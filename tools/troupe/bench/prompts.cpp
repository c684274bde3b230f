#include "bench/prompts.h"

#include "open_engine.h"
#include "troupe/model/model_file.h"

namespace troupe::program {

Result<Prompts> Prompts::for_model(const pipeline::PipelineSpec& spec) {
  if (auto there = check_model_files(spec); !there) return fail(there.error());
  if (spec.models.empty()) return fail(ErrorCode::invalid_argument, "the pipeline has no model");
  const auto file = model::open_model(spec.models.front().params.get_text("path"));
  if (!file) return fail(file.error());
  const auto tokens = (*file)->find_strings("tokenizer.ggml.tokens");
  if (!tokens) return fail(tokens.error());
  if (tokens->size() < 2) return fail(ErrorCode::invalid_argument, "the model has no tokenizer");
  return Prompts(static_cast<TokenId>(tokens->size()));
}

std::vector<TokenId> Prompts::tokens(std::int64_t count) {
  std::vector<TokenId> tokens;
  for (std::int64_t i = 0; i < count; ++i)
    tokens.push_back(token_(random_));
  return tokens;
}

Request Prompts::request(std::vector<TokenId> prompt_ids, std::int64_t max_tokens) const {
  Request request;
  request.prompt_ids = std::move(prompt_ids);
  request.sampling.temperature = 0;
  request.stop.max_tokens = max_tokens;
  request.stop.ignore_eos = true;
  request.stream = true;
  return request;
}

}  // namespace troupe::program
