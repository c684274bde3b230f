#include "troupe/model/tiny/random_weights.h"

namespace troupe::model::tiny {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): a counter through a mixing function.
std::uint64_t mixed(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Sum of four uniform numbers of 16 bits, brought to mean 0 and deviation 1: the variance of each
/// is (2^32 - 1) / 12.
double nearly_normal(std::uint64_t bits) {
  constexpr double kMean = 2.0 * 65535;
  constexpr double kDeviation = 37837.2272;  // sqrt(4 (2^32 - 1) / 12)
  double sum = 0;
  for (int part = 0; part < 4; ++part)
    sum += static_cast<double>((bits >> (16 * part)) & 0xffffu);
  return (sum - kMean) / kDeviation;
}

}  // namespace

std::vector<float> random_weights(std::uint64_t seed, std::string_view name, std::int64_t count,
                                  double deviation) {
  std::uint64_t state = seed;
  for (const char c : name) {
    state ^= static_cast<unsigned char>(c);
    mixed(state);
  }
  std::vector<float> values(static_cast<std::size_t>(count));
  for (auto& value : values)
    value = static_cast<float>(deviation * nearly_normal(mixed(state)));
  return values;
}

}  // namespace troupe::model::tiny
