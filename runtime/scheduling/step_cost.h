#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace troupe::scheduling {

/// What steps and swaps cost on this machine, learned from those that ran: a step of n decoding
/// sequences and p prompt tokens takes fixed + n * per_decode + p * per_prefill, by least squares
/// with coefficients >= 0. Old steps count less and less, so that it follows a machine that others
/// use too. What it says steers how work is cut into steps, and never what is computed.
class StepCost {
 public:
  struct Step {
    std::int64_t decode_tokens = 0;
    std::int64_t prefill_tokens = 0;
    std::int64_t swapped_blocks = 0;
    double total_us = 0;
    double swap_us = 0;  // of total_us
  };
  /// Takes a step that ran; one without times (0, or not finite) teaches nothing.
  void learn(const Step& step);

  /// Microseconds of a step that only decodes; nothing before a sequence has decoded.
  std::optional<double> decode_us(std::int64_t decode_tokens) const;
  /// Microseconds per prompt token; nothing before a step had one.
  std::optional<double> prefill_us_per_token() const;
  /// Microseconds to move a block one way; nothing before one was moved.
  std::optional<double> swap_us_per_block() const;

 private:
  /// Sums over steps, of which old ones fade: features are 1, n and p.
  struct Sums {
    std::array<std::array<double, 3>, 3> products{};  // of features
    std::array<double, 3> times{};                    // feature * microseconds
    double weight() const { return products[0][0]; }
    void add(const std::array<double, 3>& features, double us);
  };
  void solve();

  // Apart, so that a long time without prompts does not wash out what they cost.
  Sums decode_only_;
  Sums with_prefill_;
  std::array<double, 3> cost_{};  // fixed, per decode token, per prefill token
  bool decoded_ = false;
  double swapped_blocks_ = 0;
  double swap_us_ = 0;
};

}  // namespace troupe::scheduling
