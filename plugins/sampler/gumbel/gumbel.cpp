#include "adjust.h"
#include "draw.h"
#include "logprobs.h"
#include "row_scan.h"
#include "selection.h"
#include "troupe/api/plugin.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace troupe::gumbel {
namespace {

/// Draws by the Gumbel-max method with noise that is a function of seed, position and token id.
/// docs/sampling.md has the formulae. Holds no state: the members are room to work in.
class GumbelSampler : public Sampler {
 public:
  void sample(const SampleBatch& batch, SampledTokens& out) const override {
    out.step = batch.step;
    out.tokens.resize(batch.rows.size());
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      sample_row(batch, batch.rows[i], out.tokens[i]);
  }

 private:
  void sample_row(const SampleBatch& batch, const SampleRow& row, SampledToken& out) const {
    TROUPE_CHECK(row.params != nullptr && row.row < batch.logits.num_rows);
    out.sequence = row.sequence;
    out.token = 0;
    out.chosen.reset();
    out.top.clear();
    out.error.reset();
    auto logits = batch.logits.row(row.row);
    if (batch.vocab_size > 0 && batch.vocab_size < batch.logits.vocab_size)
      logits = logits.first(static_cast<std::size_t>(batch.vocab_size));
    const auto token = choose(row, logits);
    auto good = token ? Result<void>() : Result<void>(fail(token.error()));
    if (token) out.token = *token;
    if (token && row.params->logprobs >= 0)
      good = report_logprobs(logits, row.params->logprobs, candidates_, out);
    if (!good)
      out.error = good.error().at("sampler: sequence " + std::to_string(row.sequence.value) +
                                  ", position " + std::to_string(row.position));
  }

  Result<TokenId> choose(const SampleRow& row, std::span<const float> logits) const {
    const auto adjusted = adjust(row, logits, adjust_room_);
    if (!adjusted) return fail(adjusted.error());
    const auto best = find_largest(*adjusted);
    if (!best) return fail(best.error());
    const auto& params = *row.params;
    if (params.temperature == 0) return best->token;

    // Below the smallest normal number every other token is out of reach all the same, and a thread
    // that treats subnormal numbers as zero would divide by it.
    const float temperature = std::max(params.temperature, std::numeric_limits<float>::min());
    Kept kept;
    kept.limit = min_p_limit(params.min_p);
    const auto top_k = static_cast<std::size_t>(std::max(params.top_k, 0));
    if (top_k > 0 && top_k < adjusted->size()) {
      select_largest(*adjusted, top_k, candidates_);
      kept.edge = candidates_[nucleus_size(candidates_, temperature, params.top_p) - 1];
    } else if (params.top_p < 1) {
      kept.edge = nucleus_edge(*adjusted, *best, temperature, params.top_p, nucleus_room_);
    }
    return draw(*adjusted, *best, temperature, kept, {row.seed, row.position});
  }

  mutable AdjustRoom adjust_room_;
  mutable NucleusRoom nucleus_room_;
  mutable std::vector<Candidate> candidates_;
};

constexpr OperatorSpec kSpec = make_operator<GumbelSampler, OperatorKind::sampler>(
    "gumbel", "stateless Gumbel-max sampler: penalties, temperature, top-k, top-p, min-p",
    "Gumbel-max: Maddison, Tarlow, Minka, A* Sampling, NIPS 2014; noise: Salmon et al., SC11", {},
    Traits{.stateless = true});

}  // namespace
}  // namespace troupe::gumbel

TROUPE_PLUGIN(sampler, gumbel, troupe::gumbel::kSpec)
