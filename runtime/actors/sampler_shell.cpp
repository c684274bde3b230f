#include "troupe/actors/sampler_shell.h"

#include "troupe/api/sampler.h"

namespace troupe::actors {
namespace {

/// Every row of the step fails with `error`: only these requests end.
void fail_rows(StepState& step, const Error& error) {
  step.sampled.tokens.clear();
  for (const auto& row : step.plan.samples) {
    SampledToken token;
    token.sequence = row.sequence;
    token.error = error;
    step.sampled.tokens.push_back(std::move(token));
  }
}

}  // namespace

caf::behavior SamplerShell::make_behavior() {
  return with_common({[this](const LogitsMessage& message) { on_logits(message.step); }});
}

void SamplerShell::on_logits(const StepStatePtr& step) {
  if (step->abandoned) return;
  step->sampled.step = step->plan.step;
  if (gone()) {
    fail_rows(*step, *gone());
  } else {
    const SampleBatch batch{step->plan.step, step->result->logits, step->plan.samples,
                            step->plan.vocab_size};
    auto sampled = guarded([&] { host().as<Sampler>().sample(batch, step->sampled); });
    if (sampled && step->sampled.tokens.size() != step->plan.samples.size())
      sampled = fail(ErrorCode::internal,
                     "the plugin drew " + std::to_string(step->sampled.tokens.size()) +
                         " tokens for " + std::to_string(step->plan.samples.size()) + " rows");
    if (!sampled) {
      fail_rows(*step, sampled.error().at(host().name()));
      static_cast<void>(recover(sampled.error()));
    }
  }
  send(outlets().scheduler.actor, SampledMessage{step});
}

}  // namespace troupe::actors
