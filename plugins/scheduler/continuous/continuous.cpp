#include "troupe/api/plugin.h"
#include "troupe/scheduling/batch_scheduler.h"

namespace troupe::continuous {
namespace {

class ContinuousScheduler final : public scheduling::BatchScheduler {
 public:
  ContinuousScheduler() : BatchScheduler("continuous") {}

 private:
  Result<std::unique_ptr<scheduling::Policy>> make_policy(const Params&,
                                                          const scheduling::Options&) override {
    return std::make_unique<scheduling::Policy>();
  }
};

constexpr OperatorSpec kSpec = make_operator<ContinuousScheduler, OperatorKind::scheduler>(
    "continuous", "continuous batching in order of arrival, with chunked prefill and preemption",
    "Yu et al., Orca, OSDI 2022; Agrawal et al., Sarathi-Serve, OSDI 2024",
    scheduling::kSharedParams);

}  // namespace
}  // namespace troupe::continuous

TROUPE_PLUGIN(scheduler, continuous, troupe::continuous::kSpec)
