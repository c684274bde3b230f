#include "chain.h"

#include "penalties.h"
#include "troupe/core/nearest_name.h"

#include <algorithm>

namespace troupe::gumbel {
namespace {

constexpr Link kAll[] = {Link::penalties, Link::dry,       Link::top_n_sigma, Link::temperature,
                         Link::top_k,     Link::typical_p, Link::top_p,       Link::min_p,
                         Link::xtc,       Link::mirostat};

const std::vector<std::string>& names_of_all() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Link link : kAll)
      all.emplace_back(to_string(link));
    return all;
  }();
  return names;
}

bool contains(std::span<const Link> links, Link link) {
  return std::find(links.begin(), links.end(), link) != links.end();
}

Result<Link> read_link(const std::string& name) {
  for (const Link link : kAll)
    if (name == to_string(link)) return link;
  return fail(ErrorCode::invalid_argument,
              "chain: unknown link '" + name.substr(0, 64) + "'" + suggest(name, names_of_all()));
}

/// The request's parameter that turns a link on.
std::string_view parameter_of(Link link, const SamplingParams& params) {
  switch (link) {
    case Link::penalties:
      return params.repetition_penalty != 1 ? "repetition_penalty"
             : params.presence_penalty != 0 ? "presence_penalty"
                                            : "frequency_penalty";
    case Link::dry:
      return "dry_multiplier";
    case Link::temperature:
      return params.temperature != 1 ? "temperature" : "dynatemp_range";
    case Link::xtc:
      return "xtc_probability";
    default:
      return to_string(link);
  }
}

}  // namespace

std::string_view to_string(Link link) {
  switch (link) {
    case Link::penalties:
      return "penalties";
    case Link::dry:
      return "dry";
    case Link::top_n_sigma:
      return "top_n_sigma";
    case Link::temperature:
      return "temperature";
    case Link::top_k:
      return "top_k";
    case Link::typical_p:
      return "typical_p";
    case Link::top_p:
      return "top_p";
    case Link::min_p:
      return "min_p";
    case Link::xtc:
      return "xtc";
    case Link::mirostat:
      return "mirostat";
  }
  return "unknown";
}

bool is_on(Link link, const SamplingParams& params) {
  switch (link) {
    case Link::penalties:
      return has_penalty(params);
    case Link::dry:
      return params.dry_multiplier > 0 && params.dry_penalty_last_n != 0;
    case Link::top_n_sigma:
      return params.top_n_sigma > 0;
    case Link::temperature:
      return params.temperature != 1 || params.dynatemp_range > 0;
    case Link::top_k:
      return params.top_k > 0;
    case Link::typical_p:
      return params.typical_p < 1;
    case Link::top_p:
      return params.top_p < 1;
    case Link::min_p:
      return params.min_p > 0;
    case Link::xtc:
      return params.xtc_probability > 0;
    case Link::mirostat:
      return params.mirostat != 0;
  }
  return false;
}

Chain::Chain() : links_(std::begin(kAll), std::end(kAll)) {}

Result<Chain> Chain::read(const std::vector<std::string>& names) {
  Chain chain;
  chain.links_.clear();
  for (const auto& name : names) {
    const auto link = read_link(name);
    if (!link) return fail(link.error());
    if (contains(chain.links_, *link))
      return fail(ErrorCode::invalid_argument,
                  "chain: '" + name + "' stands in it twice; expected each link at most once");
    const bool adds = *link == Link::penalties || *link == Link::dry;
    if (adds && contains(chain.links_, Link::temperature))
      return fail(ErrorCode::invalid_argument,
                  "chain: '" + name +
                      "' stands behind 'temperature'; expected it before, where logits are still "
                      "the model's own");
    chain.links_.push_back(*link);
  }
  return chain;
}

Result<void> Chain::check(const SamplingParams& params) const {
  if (links_.size() == std::size(kAll)) return {};
  for (const Link link : kAll)
    if (is_on(link, params) && !contains(links_, link))
      return fail(ErrorCode::unsupported,
                  std::string(parameter_of(link, params)) + ": the chain of this sampler has no '" +
                      std::string(to_string(link)) +
                      "'; leave the parameter out, or add the link to the pipeline's chain");
  return {};
}

}  // namespace troupe::gumbel
