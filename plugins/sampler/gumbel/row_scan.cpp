#include "row_scan.h"

#include "fixed_math.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace troupe::gumbel {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr std::size_t kLanes = 16;
constexpr std::size_t kBlock = 1024;  // logits between two looks at the best so far

struct BlockMax {
  float value = -kInfinity;
  bool finite = true;
};

/// Lanes are independent of each other, so that the compiler can use vectors of any width; their
/// maximum is the same in every order.
BlockMax scan(std::span<const float> logits) {
  std::array<float, kLanes> lanes;
  std::array<std::uint32_t, kLanes> bad{};
  lanes.fill(-kInfinity);
  std::size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float x = logits[i + lane];
      lanes[lane] = x > lanes[lane] ? x : lanes[lane];
      bad[lane] |= x <= kLargest ? 0u : 1u;
    }
  for (; i < logits.size(); ++i) {
    lanes[0] = logits[i] > lanes[0] ? logits[i] : lanes[0];
    bad[0] |= logits[i] <= kLargest ? 0u : 1u;
  }
  BlockMax block;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    block.value = std::max(block.value, lanes[lane]);
    block.finite = block.finite && bad[lane] == 0;
  }
  return block;
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

double sum_exp(std::span<const float> logits, float max) {
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += static_cast<double>(fixed_exp(logits[i + lane] - max));
  for (; i < logits.size(); ++i)
    lanes[i % kLanes] += static_cast<double>(fixed_exp(logits[i] - max));
  double sum = 0;
  for (const double lane : lanes)
    sum += lane;
  return sum;
}

}  // namespace troupe::gumbel
