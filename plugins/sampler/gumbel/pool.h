#pragma once
#include "row_scan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace troupe::gumbel {

/// What the filters have left of a row: its tokens in ascending order of id, each with its logit
/// and, once weighed, its weight e^y with y = (logit - max) / temperature, so that its probability
/// is its share of all weights.
class Pool {
 public:
  /// Every token of the row [vocab_size] that is alive. Pre: one is.
  void open(std::span<const float> row);
  /// The `count` largest only. Pre: as open, count > 0.
  void open_largest(std::span<const float> row, std::size_t count);

  std::size_t size() const { return ids_.size(); }
  std::span<const TokenId> ids() const { return ids_; }
  std::span<const float> logits() const { return logits_; }
  float max() const { return max_; }
  float temperature() const { return temperature_; }
  float y(std::size_t i) const { return (logits_[i] - max_) / temperature_; }

  /// From here on y is under this temperature. Pre: > 0.
  void set_temperature(float temperature) { temperature_ = temperature; }
  /// Takes the logits anew from a row that was changed since, and leaves out tokens that are dead
  /// by now. Errors: invalid_argument (a logit is not finite, or none is left).
  Result<void> refresh(std::span<const float> row);

  /// Computes the weights and returns their sum, added in one order.
  double weigh();
  float weight(std::size_t i) const { return weights_[i]; }
  /// The mean of y over the pool. Pre: weighed.
  double mean_y(double total) const;

  /// Leaves the tokens for which keep(index) holds; their weights are to be computed anew.
  /// Pre: there is one.
  template <class Keep>
  void keep_if(Keep keep) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (!keep(i)) continue;
      ids_[size] = ids_[i];
      logits_[size++] = logits_[i];
    }
    cut(size);
  }

 private:
  void cut(std::size_t size);

  std::vector<TokenId> ids_;
  std::vector<float> logits_;
  std::vector<float> weights_;
  std::vector<Candidate> largest_;  // room
  float max_ = 0;
  float temperature_ = 1;
};

}  // namespace troupe::gumbel
