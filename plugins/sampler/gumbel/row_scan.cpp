#include "row_scan.h"

#include "fixed_math.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace troupe::gumbel {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr std::size_t kBlock = 1024;  // logits between two looks at the best so far
constexpr std::size_t kWide = 16;     // floats worked on together, as many as any machine can

using Wide [[gnu::vector_size(64)]] = float;
using WideInts [[gnu::vector_size(64)]] = std::int32_t;

struct BlockMax {
  float value = -kInfinity;
  bool finite = true;

  void take(float x) {
    value = x > value ? x : value;
    finite = finite && x <= kLargest;
  }
};

/// Inlined into a function for each instruction set. They give the same: a maximum does not depend
/// on the order.
[[gnu::always_inline]] inline BlockMax scan_with(std::span<const float> logits) {
  Wide max[2] = {Wide{} - kInfinity, Wide{} - kInfinity};
  WideInts good[2] = {WideInts{} - 1, WideInts{} - 1};
  std::size_t i = 0;
  for (; i + 2 * kWide <= logits.size(); i += 2 * kWide)
    for (std::size_t k = 0; k < 2; ++k) {
      Wide x;
      std::memcpy(&x, &logits[i + k * kWide], sizeof x);
      max[k] = x > max[k] ? x : max[k];
      good[k] &= x <= kLargest;
    }
  BlockMax block;
  const Wide both = max[0] > max[1] ? max[0] : max[1];
  const WideInts all = good[0] & good[1];
  for (std::size_t lane = 0; lane < kWide; ++lane) {
    block.value = both[lane] > block.value ? both[lane] : block.value;
    block.finite = block.finite && all[lane] != 0;
  }
  for (; i < logits.size(); ++i)
    block.take(logits[i]);
  return block;
}

BlockMax scan_plain(std::span<const float> logits) {
  return scan_with(logits);
}

using Scan = BlockMax (*)(std::span<const float>);

#ifdef __x86_64__

[[gnu::target("avx2")]] BlockMax scan_avx2(std::span<const float> logits) {
  return scan_with(logits);
}

[[gnu::target("avx512f")]] BlockMax scan_avx512(std::span<const float> logits) {
  return scan_with(logits);
}

Scan best_scan() {
  if (__builtin_cpu_supports("avx512f")) return scan_avx512;
  return __builtin_cpu_supports("avx2") ? scan_avx2 : scan_plain;
}

#else

Scan best_scan() {
  return scan_plain;
}

#endif

BlockMax scan(std::span<const float> logits) {
  static const Scan best = best_scan();
  return best(logits);
}

}  // namespace

float group_max(std::span<const float> logits) {
  return scan(logits).value;
}

Result<Candidate> find_largest(std::span<const float> logits) {
  std::size_t best_block = 0;
  BlockMax best;
  for (std::size_t begin = 0; begin < logits.size(); begin += kBlock) {
    const auto block = scan(logits.subspan(begin, std::min(kBlock, logits.size() - begin)));
    best.finite = best.finite && block.finite;
    if (block.value > best.value) {
      best.value = block.value;
      best_block = begin;
    }
  }
  if (!best.finite) {
    const auto bad =
        std::find_if(logits.begin(), logits.end(), [](float x) { return !(x <= kLargest); });
    return fail(ErrorCode::internal, "the logit of token " + std::to_string(bad - logits.begin()) +
                                         " is " + std::to_string(*bad));
  }
  if (best.value == -kInfinity)
    return fail(ErrorCode::internal, "no token can be drawn: every logit is -inf or banned");
  const auto found =
      std::find(logits.begin() + static_cast<std::ptrdiff_t>(best_block), logits.end(), best.value);
  return Candidate{best.value, static_cast<TokenId>(found - logits.begin())};
}

double sum_exp(std::span<const float> logits, float max, float temperature) {
  double sum = 0;
  for (std::size_t begin = 0; begin < logits.size(); begin += kGroup) {
    Floats group{};
    const std::size_t end = std::min(begin + kGroup, logits.size());
    std::size_t i = begin;
    for (; i + kFloats <= end; i += kFloats)
      group += fixed_exp((load(&logits[i]) - max) / temperature);
    for (; i < end; ++i)
      group[i % kFloats] += fixed_exp((logits[i] - max) / temperature);
    sum += static_cast<double>((group[0] + group[1]) + (group[2] + group[3]));
  }
  return sum;
}

}  // namespace troupe::gumbel
