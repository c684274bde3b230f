#include "policies.h"
#include "troupe/api/plugin.h"
#include "troupe/scheduling/batch_scheduler.h"

namespace troupe::continuous {
namespace {

using scheduling::Policy;

constexpr auto kParams = scheduling::join_params(
    scheduling::kSharedParams,
    std::array{
        ParamSpec{.name = "policy",
                  .type = ParamType::text,
                  .default_value = "\"fcfs\"",
                  .help = "who is served first: who came first, the highest priority, the earliest "
                          "deadline, or the tenant that has had the fewest tokens for its weight",
                  .choices = "fcfs|priority|deadline|fair"},
        ParamSpec{.name = "ageing_ms",
                  .type = ParamType::number,
                  .default_value = "10000",
                  .help = "policy priority: waiting so long is worth a level of priority",
                  .unit = "ms",
                  .min = 1,
                  .max = 1e9},
        ParamSpec{.name = "priority_preempts",
                  .type = ParamType::boolean,
                  .default_value = "true",
                  .help = "policy priority: a request that finds no room may stop a running one of "
                          "lower priority, which goes on later"},
        ParamSpec{
            .name = "tenant_weights",
            .type = ParamType::text_list,
            .default_value = "[]",
            .help = "policy fair: shares of tenants as \"TENANT=WEIGHT\"; all others have 1"}});

class ContinuousScheduler final : public scheduling::BatchScheduler {
 public:
  ContinuousScheduler() : BatchScheduler("continuous") {}

 private:
  Result<std::unique_ptr<Policy>> make_policy(const Params& params,
                                              const scheduling::Options&) override {
    const auto& policy = params.get_text("policy");
    const auto weights = params.get_texts("tenant_weights");
    if (!weights.empty() && policy != "fair")
      return fail(ErrorCode::invalid_argument,
                  "tenant_weights count only with policy = \"fair\"; found \"" + policy + "\"");
    if (policy == "priority")
      return std::make_unique<ByPriority>(params.get_number("ageing_ms"),
                                          params.get_bool("priority_preempts"));
    if (policy == "deadline") return std::make_unique<EarliestDeadline>();
    if (policy == "fair") return FairShare::make(weights);
    return std::make_unique<FirstCome>();
  }
};

constexpr OperatorSpec kSpec = make_operator<ContinuousScheduler, OperatorKind::scheduler>(
    "continuous",
    "continuous batching with chunked prefill, by arrival, priority, deadline or fair share",
    "Yu et al., Orca, OSDI 2022; Agrawal et al., Sarathi-Serve, OSDI 2024; Sheng et al., Fairness "
    "in Serving Large Language Models, OSDI 2024",
    kParams);

}  // namespace
}  // namespace troupe::continuous

TROUPE_PLUGIN(scheduler, continuous, troupe::continuous::kSpec)
