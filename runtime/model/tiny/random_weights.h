#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace troupe::model::tiny {

/// `count` numbers of mean 0 and standard deviation `deviation`, nearly normal, within 3.5
/// deviations. A function of the seed and the name alone, the same on every machine: integers
/// summed and scaled, no library function.
std::vector<float> random_weights(std::uint64_t seed, std::string_view name, std::int64_t count,
                                  double deviation);

}  // namespace troupe::model::tiny
