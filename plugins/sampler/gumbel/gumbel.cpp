#include "choice.h"
#include "logprobs.h"
#include "troupe/api/plugin.h"
#include "troupe/api/sampler.h"

#include <optional>
#include <string>
#include <vector>

namespace troupe::gumbel {
namespace {

constexpr ParamSpec kParams[] = {
    {.name = "chain",
     .type = ParamType::text_list,
     .default_value = kDefaultChain,
     .help = "what is done to a row of logits, in this order; a request that asks for a link that "
             "is left out is refused"}};

/// Draws by the Gumbel-max method with noise that is a function of seed, position and token id.
/// docs/sampling.md has the formulae. Holds no state: the members are room to work in.
class GumbelSampler : public Sampler {
 public:
  Result<void> configure(const Params& params) override {
    auto chain = Chain::read(params.get_texts("chain"));
    if (!chain) return fail(chain.error());
    chooser_ = Chooser(std::move(*chain));
    return {};
  }

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
    out.surprise.reset();
    out.error.reset();
    auto logits = batch.logits.row(row.row);
    if (batch.vocab_size > 0 && batch.vocab_size < batch.logits.vocab_size)
      logits = logits.first(static_cast<std::size_t>(batch.vocab_size));
    const auto good = row.scored >= 0 ? score(row, logits, out) : draw(row, logits, out);
    if (!good)
      out.error = good.error().at("sampler: sequence " + std::to_string(row.sequence.value) +
                                  ", position " + std::to_string(row.position));
  }

  Result<void> draw(const SampleRow& row, std::span<const float> logits, SampledToken& out) const {
    const auto choice = chooser_.choose(row, logits);
    if (!choice) return fail(choice.error());
    out.token = choice->token;
    out.surprise = choice->surprise;
    if (row.params->logprobs < 0) return {};
    return report_logprobs(logits, row.params->logprobs, candidates_, out);
  }

  Result<void> score(const SampleRow& row, std::span<const float> logits, SampledToken& out) const {
    out.token = row.scored;
    if (static_cast<std::size_t>(row.scored) >= logits.size())
      return fail(ErrorCode::internal, "the scored token " + std::to_string(row.scored) +
                                           " is outside the vocabulary of " +
                                           std::to_string(logits.size()) + " tokens");
    return report_logprobs(logits, row.params->prompt_logprobs, candidates_, out);
  }

  mutable Chooser chooser_{Chain()};
  mutable std::vector<Candidate> candidates_;
};

constexpr OperatorSpec kSpec = make_operator<GumbelSampler, OperatorKind::sampler>(
    "gumbel",
    "stateless Gumbel-max sampler with a chain of penalties, DRY, temperature, top-k, typical, "
    "top-p, min-p, top-n-sigma, XTC and mirostat",
    "Gumbel-max: Maddison, Tarlow, Minka, A* Sampling, NIPS 2014; noise: Salmon et al., SC11",
    kParams, Traits{.stateless = true});

}  // namespace
}  // namespace troupe::gumbel

TROUPE_PLUGIN(sampler, gumbel, troupe::gumbel::kSpec)
