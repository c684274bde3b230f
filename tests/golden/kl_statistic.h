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
  double margin = 0;       // of the oracle: its largest logit minus the second largest
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
  /// Share of positions with the same top-1, among those where the oracle's own margin is at least
  /// `min_margin`: below it the oracle has hardly an opinion. 0..1; 0 when there is no such
  /// position.
  double top1_agreement(double min_margin = 0) const;

  /// One line with all figures: for messages.
  std::string text() const;

 private:
  struct Top1 {
    double margin;
    bool same;
  };
  std::vector<double> kl_;
  std::vector<Top1> top1_;
  double bound_sum_ = 0;
  double sweep_error_ = 0;
};

}  // namespace troupe::golden
