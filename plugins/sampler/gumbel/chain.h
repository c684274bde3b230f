#pragma once
#include "troupe/api/result.h"
#include "troupe/api/sampling.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::gumbel {

/// What can be done to a row of logits on its way to a token, in the order in which it is done by
/// default. docs/sampling.md has the formulae.
enum class Link : std::uint8_t {
  penalties,
  dry,
  top_n_sigma,
  temperature,
  top_k,
  typical_p,
  top_p,
  min_p,
  xtc,
  mirostat,
};

std::string_view to_string(Link link);

/// Whether the parameters ask for anything of the link.
bool is_on(Link link, const SamplingParams& params);

/// The links of a pipeline's sampler, in their order.
class Chain {
 public:
  /// All links in the default order.
  Chain();

  /// Errors: invalid_argument (an unknown name, with the nearest; a name twice; penalties or dry
  /// behind temperature, where they would act on other numbers than those documented).
  static Result<Chain> read(const std::vector<std::string>& names);

  std::span<const Link> links() const { return links_; }

  /// Errors: unsupported (the parameters ask for a link that the chain leaves out).
  Result<void> check(const SamplingParams& params) const;

 private:
  std::vector<Link> links_;
};

/// The default order as the value of a parameter.
inline constexpr std::string_view kDefaultChain =
    R"(["penalties", "dry", "top_n_sigma", "temperature", "top_k", "typical_p", "top_p", "min_p", "xtc", "mirostat"])";

}  // namespace troupe::gumbel
