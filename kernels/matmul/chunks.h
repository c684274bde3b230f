#pragma once
#include <algorithm>
#include <cstdint>

namespace troupe::kernels {

/// A line of units cut into chunks that get smaller towards the end: each round of one chunk per
/// worker takes three quarters of what is left. Few chunks have to be taken, and the workers still
/// finish together.
class Chunks {
 public:
  /// Pre: units >= 0, smallest >= 2, workers >= 1.
  Chunks(std::int64_t units, std::int64_t smallest, std::int64_t workers)
      : units_(units), smallest_(smallest), workers_(workers) {}

  /// How many chunks there are.
  std::int64_t count() const {
    std::int64_t chunks = 0, begin = 0;
    for (std::int64_t size; begin < units_; begin += size * workers_, chunks += workers_) {
      size = round_size(begin);
      if (begin + size * workers_ >= units_) return chunks + (units_ - begin + size - 1) / size;
    }
    return chunks;
  }

  struct Range {
    std::int64_t begin, end;
  };
  /// The units of a chunk. Pre: 0 <= chunk < count().
  Range range(std::int64_t chunk) const {
    std::int64_t begin = 0, size = round_size(0);
    for (; chunk >= workers_ && !last_round(begin, size); chunk -= workers_) {
      begin += size * workers_;
      size = round_size(begin);
    }
    begin += chunk * size;
    return {begin, std::min(begin + size, units_)};
  }

 private:
  /// Even, so that one-row kernels can read two tiles at a time.
  std::int64_t round_size(std::int64_t begin) const {
    if (workers_ == 1) return units_;
    return std::max(smallest_, (units_ - begin) * 3 / (4 * workers_) + 1) / 2 * 2;
  }
  bool last_round(std::int64_t begin, std::int64_t size) const {
    return begin + size * workers_ >= units_;
  }

  std::int64_t units_, smallest_, workers_;
};

}  // namespace troupe::kernels
