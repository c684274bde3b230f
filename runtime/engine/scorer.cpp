#include "troupe/engine/scorer.h"

#include "troupe/engine/row_logprobs.h"

#include <algorithm>

namespace troupe {

Result<std::unique_ptr<Scorer>> Scorer::open(const pipeline::PipelineSpec& spec,
                                             const Catalog& catalog) {
  std::unique_ptr<Scorer> scorer(new Scorer(spec, catalog));
  auto tokenizer = scorer->operators_.tokenizer();
  if (!tokenizer) return fail(tokenizer.error());
  scorer->tokenizer_ = *tokenizer;
  auto executor = scorer->operators_.executor();
  if (!executor) return fail(executor.error());
  scorer->executor_ = *executor;
  return scorer;
}

Result<void> Scorer::step(std::span<const TokenId> ids, std::size_t from, std::size_t count,
                          const OnLogits& on_logits) {
  plan_.clear();
  plan_.step.value++;
  StepSegment segment;
  segment.sequence = SequenceId{1};
  segment.first_position = static_cast<std::int32_t>(from);
  segment.num_tokens = static_cast<std::int32_t>(count);
  segment.rows = RowsWanted::all;
  segment.num_blocks = static_cast<std::uint32_t>((from + count + kBlockSize - 1) / kBlockSize);
  for (std::uint32_t block = 0; block < segment.num_blocks; ++block)
    plan_.block_ids.push_back(BlockId{block});
  plan_.token_ids.assign(ids.begin() + static_cast<std::ptrdiff_t>(from),
                         ids.begin() + static_cast<std::ptrdiff_t>(from + count));
  plan_.num_rows = segment.num_rows();
  plan_.segments.push_back(segment);
  Result<void> outcome;
  executor_->submit(plan_, [&](const StepResult& result) {
    if (result.error) {
      outcome = fail(*result.error);
    } else if (!result.failed.empty()) {
      outcome = fail(result.failed.front().second);
    } else {
      for (std::uint32_t row = 0; row < result.logits.num_rows; ++row)
        on_logits(from + row, result.logits.row(row));
    }
  });
  return outcome;
}

Result<void> Scorer::logits(std::span<const TokenId> ids, const OnLogits& on_logits) {
  if (ids.empty())
    return fail(ErrorCode::invalid_argument, "found no token; expected at least one");
  const auto capacity = std::min<std::int64_t>(info().context_len, info().num_blocks * kBlockSize);
  if (static_cast<std::int64_t>(ids.size()) > capacity)
    return fail(ErrorCode::invalid_argument, "the text has " + std::to_string(ids.size()) +
                                                 " tokens; expected at most " +
                                                 std::to_string(capacity) + ", the context");
  // Rows of the embedding past the last token are padding.
  const auto num_tokens = std::min(info().vocab_size, tokenizer_->tokens()->size());
  for (const auto id : ids)
    if (id < 0 || id >= num_tokens)
      return fail(ErrorCode::invalid_argument, "found token id " + std::to_string(id) +
                                                   "; expected 0 to " +
                                                   std::to_string(num_tokens - 1));
  const auto chunk = static_cast<std::size_t>(info().max_batch_tokens);
  for (std::size_t from = 0; from < ids.size(); from += chunk) {
    const auto count = std::min(chunk, ids.size() - from);
    if (auto done = step(ids, from, count, on_logits); !done) return done;
  }
  return {};
}

Result<std::vector<double>> Scorer::log_probabilities(std::span<const TokenId> ids) {
  const auto num_tokens = static_cast<std::size_t>(tokenizer_->tokens()->size());
  std::vector<double> scores;
  auto done = logits(ids, [&](std::size_t position, std::span<const float> row) {
    if (position + 1 == ids.size()) return;
    row = row.first(std::min(row.size(), num_tokens));
    scores.push_back(static_cast<double>(row[static_cast<std::size_t>(ids[position + 1])]) -
                     log_sum_exp(row));
  });
  if (!done) return fail(done.error());
  return scores;
}

}  // namespace troupe
