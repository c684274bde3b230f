#include "truth.h"

#include "troupe/core/philox.h"
#include "troupe/testing/fake_model.h"

#include <algorithm>
#include <span>

namespace troupe::simulation {
namespace {

struct Found {
  std::size_t begin = std::string::npos;
  std::size_t end = std::string::npos;
  std::string text;
};

/// The stop string that is complete first; of several that end there, the longest.
Found find_stop(const std::string& text, const std::vector<std::string>& stops) {
  Found best;
  for (const auto& stop : stops) {
    const auto begin = text.find(stop);
    if (begin == std::string::npos) continue;
    const auto end = begin + stop.size();
    if (best.begin == std::string::npos || end < best.end ||
        (end == best.end && stop.size() > best.text.size()))
      best = {begin, end, stop};
  }
  return best;
}

bool contains(std::span<const TokenId> ids, TokenId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

Answer answer_alone(const TokenizedRequest& tokenized, std::int32_t choice, std::int64_t max_tokens,
                    std::int32_t vocab_size, const Sampler& sampler) {
  const auto& request = *tokenized.request;
  const auto& stop = request.stop;
  std::vector<TokenId> ends = stop.stop_token_ids;
  if (!stop.ignore_eos)
    for (const TokenId id : tokenized.tokens->end_of_generation())
      ends.push_back(id);
  Answer answer;
  std::vector<TokenId> history = tokenized.prompt_ids;
  std::vector<float> logits(static_cast<std::size_t>(vocab_size));
  std::string searched;  // text in which stop strings are searched
  while (answer.finish == FinishReason::none) {
    const auto made = static_cast<std::int64_t>(answer.ids.size());
    if (made == stop.max_tokens || static_cast<std::int64_t>(history.size()) == max_tokens) {
      answer.finish = FinishReason::length;
      break;
    }
    testing::fake_logits(history, logits);
    SampleRow row;
    row.params = &request.sampling;
    row.history = history;
    row.prompt_tokens = static_cast<std::int32_t>(tokenized.prompt_ids.size());
    row.position = static_cast<std::int32_t>(history.size());
    row.seed = choice_seed(request.sampling.seed.value_or(0), choice);
    if (made < stop.min_tokens) row.banned = ends;
    SampledTokens sampled;
    sampler.sample({StepId{1}, {logits.data(), 1, vocab_size}, {&row, 1}, vocab_size}, sampled);
    const auto& drawn = sampled.tokens.at(0);
    if (drawn.error) {
      answer.finish = FinishReason::error;
      break;
    }
    history.push_back(drawn.token);
    answer.ids.push_back(drawn.token);
    if (request.sampling.logprobs >= 0) answer.scores.push_back({*drawn.chosen, drawn.top});
    if (made >= stop.min_tokens && contains(ends, drawn.token)) {
      answer.finish = FinishReason::stop;
      break;
    }
    answer.text += tokenized.tokens->bytes(drawn.token);
    if (made < stop.min_tokens) continue;
    searched += tokenized.tokens->bytes(drawn.token);
    if (const auto found = find_stop(searched, stop.stop); found.begin != std::string::npos) {
      answer.finish = FinishReason::stop;
      answer.stop_match = found.text;
      answer.text.resize(answer.text.size() - (searched.size() - found.begin));
    }
  }
  return answer;
}

std::vector<TokenScore> prompt_scores_alone(const TokenizedRequest& tokenized,
                                            std::int32_t vocab_size, const Sampler& sampler) {
  const std::span<const TokenId> prompt = tokenized.prompt_ids;
  std::vector<TokenScore> scores = {{{prompt.front(), 0}, {}}};
  std::vector<float> logits(static_cast<std::size_t>(vocab_size));
  for (std::size_t i = 1; i < prompt.size(); ++i) {
    testing::fake_logits(prompt.first(i), logits);
    SampleRow row;
    row.params = &tokenized.request->sampling;
    row.scored = prompt[i];
    SampledTokens scored;
    sampler.sample({StepId{1}, {logits.data(), 1, vocab_size}, {&row, 1}, vocab_size}, scored);
    scores.push_back({scored.tokens.at(0).chosen.value(), scored.tokens.at(0).top});
  }
  return scores;
}

}  // namespace troupe::simulation
