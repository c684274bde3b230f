#include "row_scan.h"

#include "fixed_math.h"

#include <algorithm>
#include <limits>
#include <string>

namespace troupe::gumbel {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr std::size_t kBlock = 1024;  // logits between two looks at the best so far
constexpr std::size_t kStreams = 4;   // vectors worked on together
constexpr std::size_t kStride = kStreams * kFloats;

struct BlockMax {
  float value = -kInfinity;
  bool finite = true;

  void take(float x) {
    value = x > value ? x : value;
    finite = finite && x <= kLargest;
  }
};

/// A maximum is the same in every order, so the lanes are free to differ from machine to machine.
BlockMax scan(std::span<const float> logits) {
  Floats max[kStreams];
  Ints good[kStreams];
  for (std::size_t k = 0; k < kStreams; ++k) {
    max[k] = Floats{} - kInfinity;
    good[k] = Ints{} - 1;
  }
  std::size_t i = 0;
  for (; i + kStride <= logits.size(); i += kStride)
    for (std::size_t k = 0; k < kStreams; ++k) {
      const Floats x = load(&logits[i + k * kFloats]);
      max[k] = x > max[k] ? x : max[k];
      good[k] &= x <= kLargest;
    }
  BlockMax block;
  for (std::size_t k = 0; k < kStreams; ++k)
    for (std::size_t lane = 0; lane < kFloats; ++lane) {
      block.value = max[k][lane] > block.value ? max[k][lane] : block.value;
      block.finite = block.finite && good[k][lane] != 0;
    }
  for (; i < logits.size(); ++i)
    block.take(logits[i]);
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
