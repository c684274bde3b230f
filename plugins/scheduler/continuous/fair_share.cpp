#include "policies.h"

#include <charconv>
#include <cmath>

namespace troupe::continuous {

Result<std::unique_ptr<scheduling::Policy>> FairShare::make(
    const std::vector<std::string>& weights) {
  auto policy = std::make_unique<FairShare>();
  for (const auto& entry : weights) {
    const auto refuse = [&](const char* why) {
      return fail(ErrorCode::invalid_argument,
                  "tenant_weights: \"" + entry + "\": " + why +
                      "; expected \"TENANT=WEIGHT\" with a weight above 0, such as \"team-a=2\"");
    };
    const auto equals = entry.rfind('=');
    if (equals == std::string::npos) return refuse("there is no =");
    const auto* begin = entry.data() + equals + 1;
    const auto* end = entry.data() + entry.size();
    double weight = 0;
    const auto [stop, error] = std::from_chars(begin, end, weight);
    if (error != std::errc() || stop != end || !std::isfinite(weight) || weight <= 0)
      return refuse("the weight is no number above 0");
    if (!policy->weights_.emplace(entry.substr(0, equals), weight).second)
      return refuse("the tenant has a weight already");
  }
  return policy;
}

}  // namespace troupe::continuous
