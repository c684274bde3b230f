#include "troupe/core/best_of.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace troupe {
namespace {

double mean_logprob(const TokenEvent& choice) {
  if (choice.scores.empty()) return -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const auto& score : choice.scores)
    sum += static_cast<double>(score.chosen.logprob);
  return sum / static_cast<double>(choice.scores.size());
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::vector<TokenEvent> BestOf::add(const TokenEvent& event) {
  const bool broken =
      event.finish == FinishReason::error || event.finish == FinishReason::cancelled;
  if (event.last && broken) {
    TokenEvent end = event;
    end.choice = 0;
    end.number = 0;
    if (!with_scores_) end.scores.clear();
    return {std::move(end)};
  }
  const auto index = static_cast<std::size_t>(event.choice);
  if (choices_.size() <= index) choices_.resize(index + 1);
  auto& choice = choices_[index];
  append(choice.token_ids, event.token_ids);
  append(choice.scores, event.scores);
  append(prompt_scores_, event.prompt_scores);
  choice.text += event.text;
  if (event.finish != FinishReason::none) choice.finish = event.finish;
  if (!event.stop_match.empty()) choice.stop_match = event.stop_match;
  if (!event.last) return {};
  return best(event);
}

std::vector<TokenEvent> BestOf::best(const TokenEvent& last) {
  std::vector<std::pair<double, std::size_t>> ranks;
  for (std::size_t i = 0; i < choices_.size(); ++i)
    ranks.emplace_back(-mean_logprob(choices_[i]), i);
  std::sort(ranks.begin(), ranks.end());
  ranks.resize(std::min(ranks.size(), static_cast<std::size_t>(n_)));
  std::vector<TokenEvent> events;
  for (const auto& [rank, index] : ranks) {
    auto& event = events.emplace_back(std::move(choices_[index]));
    event.context = last.context;
    event.client_id = last.client_id;
    event.choice = static_cast<std::int32_t>(events.size()) - 1;
    event.number = events.size() - 1;
    if (!with_scores_) event.scores.clear();
  }
  events.front().prompt_scores = std::move(prompt_scores_);
  events.back().last = true;
  events.back().usage = last.usage;
  events.back().timings = last.timings;
  return events;
}

}  // namespace troupe
