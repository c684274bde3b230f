#pragma once
#include "actor_scenario.h"
#include "troupe/plugin/catalog.h"

namespace troupe::simulation {

/// The pipeline of the simulation: a door, a stage that sees requests and answers, a router, and
/// two models with a token loop each. Built once; `adapt` gives it a scenario's values.
class SimulatedPipeline {
 public:
  explicit SimulatedPipeline(const Catalog& plugins);
  pipeline::PipelineSpec adapt(const ActorScenario& scenario) const;
  const Catalog& plugins() const { return plugins_; }

 private:
  const Catalog& plugins_;
  pipeline::PipelineSpec spec_;
};

}  // namespace troupe::simulation
