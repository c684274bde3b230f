#include "choice.h"

#include "draw.h"
#include "penalties.h"
#include "restrict.h"

#include <algorithm>
#include <limits>

namespace troupe::gumbel {
namespace {

bool edits_logits(Link link) {
  return link == Link::penalties || link == Link::dry;
}

/// Where the model's own logits were good, what the request does to them was not.
Error blame(const Error& error, std::span<const float> logits) {
  if (!find_largest(logits)) return error;
  return Error(
      ErrorCode::invalid_argument,
      error.message() + "; expected sampling parameters that leave a token with a finite logit");
}

/// Whether the most probable token is the choice whatever the links do: none takes it out before
/// temperature 0 makes the choice.
bool is_greedy(std::span<const Link> links, const SamplingParams& params) {
  if (params.temperature != 0 || params.dynatemp_range > 0) return false;
  const auto harmless = [](Link link) {
    return link == Link::top_n_sigma || link == Link::top_k || link == Link::top_p ||
           link == Link::min_p;
  };
  for (const Link link : links) {
    if (link == Link::temperature) return true;
    if (!harmless(link)) return false;
  }
  return false;
}

/// Whether the links are some of temperature, top_k, top_p and min_p, in this order.
bool are_plain(std::span<const Link> links, const SamplingParams& params) {
  constexpr Link kPlain[] = {Link::temperature, Link::top_k, Link::top_p, Link::min_p};
  if (params.dynatemp_range > 0) return false;
  auto next = std::begin(kPlain);
  for (const Link link : links) {
    next = std::find(next, std::end(kPlain), link);
    if (next == std::end(kPlain)) return false;
    ++next;
  }
  return true;
}

}  // namespace

Result<Chooser::Choice> Chooser::choose(const SampleRow& row, std::span<const float> logits) {
  const auto& params = *row.params;
  if (auto good = chain_.check(params); !good) return fail(good.error());
  copy_.open(logits);
  if (auto good = restrict_tokens(row, copy_); !good) return fail(good.error());
  active_.clear();
  for (const Link link : chain_.links()) {
    if (!is_on(link, params)) continue;
    if (!active_.empty() || !edits_logits(link)) {
      active_.push_back(link);
    } else if (auto good = edit(link, row); !good) {
      return fail(good.error());
    }
  }
  const auto best = find_largest(copy_.logits());
  if (!best) return fail(blame(best.error(), logits));
  if (is_greedy(active_, params)) {
    Choice choice{best->token, std::nullopt};
    if (params.mirostat != 0) choice.surprise = 0.0f;  // it was the only one left
    return choice;
  }
  if (are_plain(active_, params)) return Choice{draw_from_row(row, *best), std::nullopt};
  return draw_from_pool(row);
}

Result<void> Chooser::edit(Link link, const SampleRow& row) {
  return link == Link::dry ? apply_dry(row, copy_, dry_) : apply_penalties(row, copy_);
}

TokenId Chooser::draw_from_row(const SampleRow& row, Candidate best) {
  const auto& params = *row.params;
  const auto logits = copy_.logits();
  const float temperature = std::max(params.temperature, std::numeric_limits<float>::min());
  Kept kept;
  kept.limit = min_p_limit(params.min_p);
  const auto top_k = static_cast<std::size_t>(std::max(params.top_k, 0));
  if (top_k > 0 && top_k < logits.size()) {
    select_largest(logits, top_k, candidates_);
    kept.edge = candidates_[nucleus_size(candidates_, temperature, params.top_p) - 1];
  } else if (params.top_p < 1) {
    kept.edge = nucleus_edge(logits, best, temperature, params.top_p, nucleus_);
  }
  return draw(logits, best, temperature, kept, {row.seed, row.position});
}

Result<Chooser::Choice> Chooser::draw_from_pool(const SampleRow& row) {
  const auto logits = copy_.logits();
  std::span<const Link> links = active_;
  if (!links.empty() && links.front() == Link::top_k) {
    pool_.open_largest(logits, static_cast<std::size_t>(row.params->top_k));
    links = links.subspan(1);
  } else {
    pool_.open(logits);
  }
  for (const Link link : links)
    if (auto good = filter(link, row); !good) return fail(good.error());
  Choice choice;
  choice.token = draw(pool_, logits.size(), masked_, {row.seed, row.position});
  if (row.params->mirostat != 0) choice.surprise = surprise_of(pool_, choice.token);
  return choice;
}

Result<void> Chooser::filter(Link link, const SampleRow& row) {
  const auto& params = *row.params;
  switch (link) {
    case Link::penalties:
    case Link::dry: {
      if (auto good = edit(link, row); !good) return good;
      return pool_.refresh(copy_.logits());
    }
    case Link::top_n_sigma:
      keep_top_n_sigma(pool_, params.top_n_sigma);
      break;
    case Link::temperature:
      if (params.temperature == 0 && params.dynatemp_range == 0) keep_top_k(pool_, 1, ranked_);
      pool_.set_temperature(temperature_for(pool_, params));
      break;
    case Link::top_k:
      keep_top_k(pool_, static_cast<std::size_t>(params.top_k), ranked_);
      break;
    case Link::typical_p:
      keep_typical(pool_, params.typical_p, ranked_);
      break;
    case Link::top_p:
      keep_top_p(pool_, params.top_p, ranked_);
      break;
    case Link::min_p:
      keep_min_p(pool_, params.min_p);
      break;
    case Link::xtc:
      exclude_top_choices(pool_, params.xtc_probability, params.xtc_threshold,
                          {row.seed, row.position});
      break;
    case Link::mirostat:
      keep_unsurprising(pool_, mirostat_bound(params, row.surprises));
      break;
  }
  return {};
}

}  // namespace troupe::gumbel
