#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace troupe::jsonl {

/// Says when a request that met a full queue is sent again: later and later, and never again when
/// for many tries no request of the job got further.
class Refusals {
 public:
  using Milliseconds = std::chrono::milliseconds;
  static constexpr Milliseconds kShortest{50};
  static constexpr Milliseconds kLongest{2000};
  static constexpr int kMaxWithoutProgress = 60;

  /// How long to wait now; none = give up. `progress` grows with everything the job was given;
  /// `retry_after_ms` is what the queue said, 0 = nothing.
  std::optional<Milliseconds> next(std::uint64_t progress, double retry_after_ms) {
    if (progress != progress_) in_vain_ = 0;
    progress_ = progress;
    if (++in_vain_ > kMaxWithoutProgress) return std::nullopt;
    const auto longer = delay_;
    delay_ = std::min(delay_ * 2, kLongest);
    const auto longest = static_cast<double>(kLongest.count());
    const Milliseconds asked{static_cast<std::int64_t>(std::clamp(retry_after_ms, 0.0, longest))};
    return std::max(longer, asked);
  }

 private:
  std::uint64_t progress_ = 0;
  int in_vain_ = 0;
  Milliseconds delay_ = kShortest;
};

}  // namespace troupe::jsonl
