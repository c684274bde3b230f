#include "troupe/testing/fake_model.h"

namespace troupe::testing {
namespace {

/// Scatters the bits of `x`. Source: S. Vigna, SplitMix64.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

void fake_logits(std::span<const TokenId> history, std::span<float> logits) {
  std::uint64_t hash = 1;
  for (const TokenId token : history)
    hash = (hash ^ static_cast<std::uint32_t>(token + 1)) * 0x100000001b3 + 0x9e3779b9;
  hash = mix(hash);
  for (std::size_t i = 0; i < logits.size(); ++i)
    logits[i] = static_cast<float>(mix(hash + i) >> 43) / 262144.0f;
}

FakeTokens::FakeTokens(std::int32_t size) {
  bytes_.emplace_back();
  for (std::int32_t id = 1; id < size; ++id) {
    std::string text(1, static_cast<char>('a' + id % 5));
    if (id % 3 == 0) text += static_cast<char>('a' + id / 3 % 5);
    bytes_.push_back(std::move(text));
  }
}

}  // namespace troupe::testing
