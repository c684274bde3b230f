#include "simulated_pipeline.h"

#include "faulty_operators.h"
#include "troupe/core/param_check.h"
#include "troupe/pipeline/load_pipeline.h"

namespace troupe::simulation {
namespace {

constexpr const char* kToml = R"(
[pipeline]
name = "simulated"
api = 1
flow = [
  "client -> guard -> router",
  "router -> ta -> sa", "sa <-> ka", "sa -> ea -> pa -> sa", "sa -> ta -> guard -> client",
  "router -> tb -> sb", "sb <-> kb", "sb -> eb -> pb -> sb", "sb -> tb -> guard",
]
[operators]
client = { kind = "ingress", plugin = "embed" }
guard = { kind = "stage", plugin = "passing" }
router = { kind = "router", plugin = "by_model" }
ta = { kind = "tokenizer", plugin = "letters" }
sa = { kind = "scheduler", plugin = "continuous" }
ka = { kind = "kv_cache", plugin = "paged" }
ea = { kind = "executor", plugin = "fake_a" }
pa = { kind = "sampler", plugin = "gumbel" }
tb = { kind = "tokenizer", plugin = "letters" }
sb = { kind = "scheduler", plugin = "continuous" }
kb = { kind = "kv_cache", plugin = "paged" }
eb = { kind = "executor", plugin = "fake_b" }
pb = { kind = "sampler", plugin = "gumbel" }
)";

pipeline::PipelineSpec load(const Catalog& plugins) {
  const FaultyCatalog catalog(plugins, nullptr);
  auto spec = pipeline::load_pipeline(pipeline::PipelineSource{kToml, "simulated"}, {}, catalog);
  if (!spec) throw std::runtime_error(spec.error().message());
  return *spec;
}

}  // namespace

SimulatedPipeline::SimulatedPipeline(const Catalog& plugins)
    : plugins_(plugins), spec_(load(plugins)) {}

pipeline::PipelineSpec SimulatedPipeline::adapt(const ActorScenario& scenario) const {
  auto spec = spec_;
  for (auto& op : spec.operators) {
    op.mailbox = scenario.mailbox;
    op.restart = scenario.restart;
    if (op.kind != OperatorKind::scheduler) continue;
    op.plugin = scenario.scheduler.plugin;
    const auto& params = plugins_.find(op.kind, op.plugin).value()->params;
    op.params = complete_params(params, scenario.scheduler.params).value();
  }
  return spec;
}

}  // namespace troupe::simulation
