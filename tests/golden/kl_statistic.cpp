#include "kl_statistic.h"

#include "troupe/api/check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace troupe::golden {
namespace {

double log_sum_exp(std::span<const float> logits) {
  const double peak = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits)
    sum += std::exp(static_cast<double>(logit) - peak);
  return peak + std::log(sum);
}

/// Both distributions at one position, as differences of log-probabilities.
class Pair {
 public:
  Pair(const LogitsSketch& oracle, std::span<const float> tested)
      : oracle_(oracle), tested_(tested), logsumexp_(log_sum_exp(tested)) {}

  double log_q(TokenId id) const { return tested_[static_cast<std::size_t>(id)] - logsumexp_; }
  double log_p(const SampledLogits& some, std::size_t i) const {
    return some.logits[i] - oracle_.logsumexp;
  }
  double difference(const SampledLogits& some, std::size_t i) const {
    return log_q(some.ids[i]) - log_p(some, i);
  }

  double head_term() const {
    double sum = 0;
    for (std::size_t i = 0; i < oracle_.head.ids.size(); ++i)
      sum += std::exp(log_p(oracle_.head, i)) * excess(difference(oracle_.head, i));
    return sum;
  }

  /// The rest as one bucket. Its mass is summed, not taken from 1 - head, which would cancel.
  double bucket_term() const {
    std::vector<bool> in_head(tested_.size());
    for (const TokenId id : oracle_.head.ids)
      in_head[static_cast<std::size_t>(id)] = true;
    double rest_q = 0;
    for (std::size_t id = 0; id < tested_.size(); ++id)
      if (!in_head[id]) rest_q += std::exp(log_q(static_cast<TokenId>(id)));
    if (oracle_.rest_mass <= 0) return rest_q;
    return oracle_.rest_mass * excess(std::log(rest_q / oracle_.rest_mass));
  }

  double tail_term() const {
    double sum = 0;
    for (std::size_t i = 0; i < oracle_.tail.ids.size(); ++i)
      sum += excess(difference(oracle_.tail, i));
    const auto count = static_cast<double>(std::max<std::size_t>(oracle_.tail.ids.size(), 1));
    return oracle_.rest_mass * sum / count;
  }

  double sweep_error() const {
    double largest = 0;
    for (std::size_t i = 0; i < oracle_.sweep.ids.size(); ++i)
      largest = std::max(largest, std::abs(difference(oracle_.sweep, i)));
    return largest;
  }

 private:
  const LogitsSketch& oracle_;
  std::span<const float> tested_;
  double logsumexp_;
};

}  // namespace

double excess(double d) {
  if (std::abs(d) >= 1e-2) return std::expm1(d) - d;
  return d * d * (0.5 + d * (1.0 / 6 + d * (1.0 / 24 + d * (1.0 / 120 + d / 720))));
}

Divergence divergence(const LogitsSketch& oracle, std::span<const float> logits) {
  TROUPE_CHECK(oracle.head.ids.size() >= 2 && logits.size() >= oracle.head.ids.size());
  if (!std::all_of(logits.begin(), logits.end(), [](float x) { return std::isfinite(x); })) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    return {kInfinite, kInfinite, kInfinite, false};
  }
  const Pair pair(oracle, logits);
  const double head = pair.head_term();
  const bool is_whole = oracle.head.ids.size() == logits.size();
  const double bucket = is_whole ? 0 : pair.bucket_term();
  const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
  return {head + std::max(bucket, pair.tail_term()), head + bucket, pair.sweep_error(),
          best == oracle.head.ids.front()};
}

void DivergenceSummary::add(const Divergence& position) {
  kl_.push_back(position.kl);
  bound_sum_ += position.kl_bound;
  sweep_error_ = std::max(sweep_error_, position.sweep_error);
  same_top1_ += position.same_top1 ? 1 : 0;
}

double DivergenceSummary::mean_kl() const {
  return kl_.empty()
             ? 0
             : std::accumulate(kl_.begin(), kl_.end(), 0.0) / static_cast<double>(kl_.size());
}

double DivergenceSummary::max_kl() const {
  return kl_.empty() ? 0 : *std::max_element(kl_.begin(), kl_.end());
}

double DivergenceSummary::p99_kl() const {
  if (kl_.empty()) return 0;
  std::vector<double> sorted = kl_;
  std::sort(sorted.begin(), sorted.end());
  return sorted[(sorted.size() * 99 + 99) / 100 - 1];
}

double DivergenceSummary::mean_kl_bound() const {
  return kl_.empty() ? 0 : bound_sum_ / static_cast<double>(kl_.size());
}

double DivergenceSummary::top1_agreement() const {
  return kl_.empty() ? 0 : static_cast<double>(same_top1_) / static_cast<double>(kl_.size());
}

std::string DivergenceSummary::text() const {
  char line[256];
  std::snprintf(line, sizeof line,
                "%zu positions, KL mean %.3e (at least %.3e) p99 %.3e max %.3e, top-1 %.4f, "
                "largest error of a swept log-probability %.3e",
                positions(), mean_kl(), mean_kl_bound(), p99_kl(), max_kl(), top1_agreement(),
                sweep_error());
  return line;
}

}  // namespace troupe::golden
