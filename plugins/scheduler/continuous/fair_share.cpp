#include "policies.h"

#include <charconv>

namespace troupe::continuous {
namespace {

// Far beyond any share that means something; sums of tokens divided by it stay exact enough.
constexpr double kLeast = 1e-6, kMost = 1e6;

}  // namespace

Result<std::unique_ptr<scheduling::Policy>> FairShare::make(
    const std::vector<std::string>& weights) {
  auto policy = std::make_unique<FairShare>();
  for (const auto& entry : weights) {
    const auto refuse = [&](const char* why) {
      return fail(
          ErrorCode::invalid_argument,
          "tenant_weights: \"" + entry + "\": " + why +
              "; expected \"TENANT=WEIGHT\" with a weight from 1e-6 to 1e6, such as \"team-a=2\"");
    };
    const auto equals = entry.rfind('=');
    if (equals == std::string::npos) return refuse("there is no =");
    const auto* begin = entry.data() + equals + 1;
    const auto* end = entry.data() + entry.size();
    double weight = 0;
    const auto [stop, error] = std::from_chars(begin, end, weight);
    if (error != std::errc() || stop != end || !(weight >= kLeast && weight <= kMost))
      return refuse("the weight is no such number");
    if (!policy->weights_.emplace(entry.substr(0, equals), weight).second)
      return refuse("the tenant has a weight already");
  }
  return policy;
}

}  // namespace troupe::continuous
