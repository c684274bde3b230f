#pragma once
#include "golden_logits.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace troupe::golden {

/// How far one row of logits is from the oracle's at the same position; tools/oracle/README.md
/// defines each figure. KL in nats.
struct Divergence {
  double kl = 0;           // estimate of the full KL(oracle || tested)
  double kl_bound = 0;     // never above the full KL
  double sweep_error = 0;  // largest |log q - log p| over the swept ids
  bool same_top1 = false;  // the same id has the largest logit
};

/// exp(d) - 1 - d, to full precision for small d too.
double excess(double d);

/// Compares `logits` [vocab_size] with a sketch. A row with a value that is not finite has an
/// infinite divergence and no top-1. Pre: the sketch's ids are below logits.size().
Divergence divergence(const LogitsSketch& oracle, std::span<const float> logits);

/// Gathers positions. Not thread-safe.
class DivergenceSummary {
 public:
  void add(const Divergence& position);

  std::size_t positions() const { return kl_.size(); }
  double mean_kl() const;  // 0 without positions
  double max_kl() const;
  double p99_kl() const;  // the smallest value that 99 % of the positions do not exceed
  double mean_kl_bound() const;
  double sweep_error() const { return sweep_error_; }
  double top1_agreement() const;  // share of positions with the same top-1; 0 without positions

  /// One line with all figures: for messages.
  std::string text() const;

 private:
  std::vector<double> kl_;
  std::size_t same_top1_ = 0;
  double bound_sum_ = 0;
  double sweep_error_ = 0;
};

}  // namespace troupe::golden
