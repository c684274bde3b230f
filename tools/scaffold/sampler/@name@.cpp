// One line: which tokens this sampler keeps, and how it draws among them.
#include "troupe/api/plugin.h"

#include <cmath>

namespace {

using namespace troupe;

// Every parameter with its type, range, default, unit and help.
// `troupe inspect @name@` shows this table.
constexpr ParamSpec kParams[] = {
    {.name = "larger_id_on_tie",
     .type = ParamType::boolean,
     .default_value = "false",
     .help = "which of two equal logits is drawn"},
};

class @Name@ final : public Sampler {
 public:
  Result<void> configure(const Params& params) override {
    larger_id_on_tie_ = params.get_bool("larger_id_on_tie");
    return {};
  }

  /// A token depends on its row, parameters, history, seed and position only: see api/sampler.h.
  void sample(const SampleBatch& batch, SampledTokens& out) const override {
    out.step = batch.step;
    out.tokens.resize(batch.rows.size());
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      out.tokens[i] = draw(batch, batch.rows[i]);
  }

 private:
  /// The largest logit.
  SampledToken draw(const SampleBatch& batch, const SampleRow& row) const {
    SampledToken sampled;
    sampled.sequence = row.sequence;
    const auto logits = batch.logits.row(row.row);
    const auto end =
        batch.vocab_size > 0 ? static_cast<std::size_t>(batch.vocab_size) : logits.size();
    bool found = false;
    for (std::size_t id = 0; id < end; ++id) {
      if (!std::isfinite(logits[id]) || is_banned(row, static_cast<TokenId>(id))) continue;
      if (found && !is_better(logits[id], logits[static_cast<std::size_t>(sampled.token)]))
        continue;
      sampled.token = static_cast<TokenId>(id);
      found = true;
    }
    if (!found)
      sampled.error = Error(ErrorCode::internal, "no token can be drawn: no logit is finite");
    return sampled;
  }

  bool is_better(float logit, float best) const {
    return larger_id_on_tie_ ? logit >= best : logit > best;
  }

  static bool is_banned(const SampleRow& row, TokenId id) {
    for (const auto banned : row.banned)
      if (banned == id) return true;
    return false;
  }

  bool larger_id_on_tie_ = false;
};

constexpr OperatorSpec kSpec = make_operator<@Name@, OperatorKind::sampler>(
    "@name@", "one line for `troupe inspect`", "paper or section", kParams,
    {.stateless = true, .deterministic = true, .threads = ThreadRule::any_thread});

}  // namespace

TROUPE_PLUGIN(sampler, @name@, kSpec)
