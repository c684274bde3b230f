#pragma once
#include "plugins/executor/transformer/forward.h"
#include "plugins/executor/transformer/kv_pool.h"
#include "plugins/executor/transformer/options.h"
#include "plugins/executor/transformer/plan_check.h"
#include "plugins/executor/transformer/swap_tiers.h"
#include "plugins/executor/transformer/weights.h"
#include "troupe/api/executor.h"
#include "troupe/device/thread_team.h"

#include <memory>
#include <vector>

namespace troupe::transformer {

/// Runs decoder-only transformers on the processor. The thread that submits computes as worker 0 of
/// a team whose other threads sleep between steps.
class TransformerExecutor final : public Executor {
 public:
  /// `calls`: what the swap file is written and read with.
  explicit TransformerExecutor(FileCalls calls = FileCalls::of_the_system())
      : file_calls_(std::move(calls)) {}

  Result<void> configure(const Params& params) override;
  /// Opens the model, packs its weights and reserves the KV cache.
  /// Errors: those of the model file; unsupported (a family or feature that this build does not
  /// run); invalid_argument (a model parameter); resource_exhausted.
  Result<void> start(Resources& resources) override;
  void stop() noexcept override;

  const ExecutorInfo& info() const override { return info_; }
  /// A plan that does not fit the model or the pool sets StepResult::error and computes nothing.
  void submit(const StepPlan& plan, const Done& done) override;

 private:
  /// What start acquired; the order is that in which the parts need each other.
  struct Loaded {
    Loaded(std::shared_ptr<const model::ModelFile> model_file, model::TransformerSpec model_spec,
           int threads)
        : file(std::move(model_file)), spec(std::move(model_spec)), team(threads) {}

    std::shared_ptr<const model::ModelFile> file;
    model::TransformerSpec spec;
    ThreadTeam team;
    KvPool pool;
    SwapTiers tiers;
    Weights weights;
    std::unique_ptr<Forward> forward;
  };

  Result<void> load(std::shared_ptr<const model::ModelFile> file, const ModelOptions& options);
  void describe(const ModelOptions& options, std::int32_t context);

  void run(const StepPlan& plan);

  FileCalls file_calls_;
  Options options_;
  std::unique_ptr<Loaded> loaded_;
  ExecutorInfo info_;
  PlanLimits limits_;
  StepResult result_;
  PlanMarks marks_;
};

/// Errors: unsupported, naming the feature of the spec that the forward pass lacks.
Result<void> check_runnable(const model::TransformerSpec& spec);

}  // namespace troupe::transformer
