#include "plugins/executor/transformer/transformer.h"

#include "kernels/matmul/variant.h"
#include "plugins/executor/transformer/architectures/architecture.h"
#include "plugins/executor/transformer/block_moves.h"
#include "troupe/device/available_cores.h"
#include "troupe/device/cpu_features.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

namespace troupe::transformer {

Result<void> check_runnable(const model::TransformerSpec& spec) {
  const auto lacks = [](const char* feature) {
    return fail(ErrorCode::unsupported,
                std::string("the transformer executor does not compute ") + feature + " yet");
  };
  if (spec.activation != model::ActivationKind::silu) return lacks("this MLP activation");
  if (spec.qkv_bias || spec.output_bias) return lacks("attention biases");
  if (spec.mlp_bias) return lacks("MLP biases");
  if (spec.qk_norm) return lacks("norms of queries and keys");
  return {};
}

Result<void> TransformerExecutor::configure(const Params& params) {
  auto options = read_options(params);
  if (!options) return fail(options.error());
  options_ = std::move(*options);
  return {};
}

Result<void> TransformerExecutor::start(Resources& resources) {
  if (auto level = check_cpu_request(std::getenv("TROUPE_CPU")); !level) return level;
  auto file = resources.model(options_.model);
  if (!file) return fail(file.error());
  const auto params = resources.model_params(options_.model);
  if (!params) return fail(params.error());
  const auto model_options = read_model_options(*params);
  if (!model_options) return fail_at("model." + options_.model, model_options.error());
  return load(std::move(*file), *model_options);
}

Result<void> TransformerExecutor::load(std::shared_ptr<const model::ModelFile> file,
                                       const ModelOptions& options) {
  auto spec = read_transformer_spec(*file);
  if (!spec) return fail(spec.error());
  if (auto runnable = check_runnable(*spec); !runnable)
    return fail_at(file->path().string(), runnable.error());
  const auto context = context_length(options, spec->model.context_length);
  if (!context) return fail_at(file->path().string(), context.error());

  auto loaded = std::make_unique<Loaded>(std::move(file), std::move(*spec),
                                         options_.threads ? options_.threads : available_cores());
  auto pool = KvPool::allocate(options_, options.kv_precision, loaded->spec.model, *context);
  if (!pool) return fail(pool.error());
  loaded->pool = std::move(*pool);
  auto tiers = SwapTiers::create(options_, loaded->pool, *context, file_calls_);
  if (!tiers) return fail(tiers.error());
  loaded->tiers = std::move(*tiers);
  auto weights = Weights::load(*loaded->file, loaded->spec, options.activations, loaded->team);
  if (!weights) return fail(weights.error());
  loaded->weights = std::move(*weights);
  auto forward = Forward::create(loaded->spec, loaded->weights, options, options_.max_batch_tokens,
                                 loaded->pool, loaded->team);
  if (!forward) return fail(forward.error());
  loaded->forward = std::move(*forward);
  loaded_ = std::move(loaded);
  describe(options, *context);
  return {};
}

/// Fills info_ and limits_.
void TransformerExecutor::describe(const ModelOptions& options, std::int32_t context) {
  const auto& model = loaded_->spec.model;
  info_.vocab_size = static_cast<std::int32_t>(model.vocab_size);
  info_.context_len = context;
  info_.num_blocks = loaded_->pool.num_blocks();
  info_.kv_bytes_per_token = loaded_->pool.bytes_per_token();
  info_.num_host_slots = loaded_->tiers.num_host_slots();
  info_.num_file_slots = loaded_->tiers.num_file_slots();
  // A window as long as the context hides nothing.
  info_.sliding_window =
      model.sliding_window < context ? static_cast<std::int32_t>(model.sliding_window) : 0;
  info_.weight_bytes = loaded_->weights.bytes;
  info_.max_batch_tokens = options_.max_batch_tokens;
  info_.architecture = model.architecture;
  info_.device = "cpu";
  info_.activations = to_string(options.activations);
  info_.kv_precision = to_string(options.kv_precision);
  info_.kernels =
      "matmul " + std::string(kernels::matmul_variant().name) + ", attention " +
      std::string(kernels::paged_attention_for(cpu_level(), options.kv_precision).name) + ", " +
      std::to_string(loaded_->team.size()) + " threads";
  limits_ = {info_.vocab_size,     context,
             info_.num_blocks,     options_.max_batch_tokens,
             info_.sliding_window, &loaded_->tiers.slots()};
}

void TransformerExecutor::stop() noexcept {
  loaded_.reset();
}

void TransformerExecutor::submit(const StepPlan& plan, const Done& done) {
  result_.clear();
  result_.step = plan.step;
  if (!loaded_)
    result_.error = Error(ErrorCode::internal, "the executor is not started");
  else if (auto checked = check_plan(plan, limits_, marks_); !checked)
    result_.error = checked.error();
  else
    run(plan);
  done(result_);
}

void TransformerExecutor::run(const StepPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  move_blocks(plan, loaded_->pool, loaded_->tiers, result_);
  loaded_->forward->run(plan, result_);
  result_.timings.total_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace troupe::transformer
