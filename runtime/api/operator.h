#pragma once
#include "troupe/api/executor_info.h"
#include "troupe/api/params.h"
#include "troupe/api/result.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace troupe::model {
class ModelFile;
}

namespace troupe {

/// The contract an operator fulfils.
enum class OperatorKind : std::uint8_t {
  ingress,
  stage,
  tokenizer,
  scheduler,
  kv_cache,
  executor,
  sampler,
  drafter,
  router,
  communicator
};

inline constexpr std::string_view kOperatorKindNames[] = {
    "ingress",  "stage",   "tokenizer", "scheduler", "kv_cache",
    "executor", "sampler", "drafter",   "router",    "communicator"};

constexpr std::string_view to_string(OperatorKind kind) {
  return kOperatorKindNames[static_cast<std::size_t>(kind)];
}

/// What the runtime hands to an operator when it starts.
class Resources {
 public:
  virtual ~Resources() = default;
  /// The model that the pipeline's [model.NAME] table describes, opened once for all who ask.
  /// Errors: not_found (no such table; the message lists the names), and those of
  /// model::open_model.
  virtual Result<std::shared_ptr<const model::ModelFile>> model(std::string_view name) = 0;
  /// Values of the [model.NAME] table: path, activations, kv_precision, context, ...
  virtual Result<Params> model_params(std::string_view name) = 0;
  /// What the executor of this operator's token loop found out; not_found before that executor
  /// started. Executors start first, then key-value caches, then all others.
  virtual Result<ExecutorInfo> executor_info() const = 0;
};

/// Base of every operator: a plain object that its shell, an actor of the runtime, owns and calls.
/// An operator has no thread, clock, socket or log of its own unless its kind says so. Calls come
/// one at a time unless the operator's traits say otherwise, in this order: configure, start, work,
/// stop. Operators must not throw; a shell that catches something ends the operator as after an
/// error.
class Operator {
 public:
  virtual ~Operator() = default;
  /// Takes the parameters, already checked against the descriptor's table. Acquires nothing.
  virtual Result<void> configure(const Params& params) {
    static_cast<void>(params);
    return {};
  }
  /// Acquires what the work needs.
  virtual Result<void> start(Resources& resources) {
    static_cast<void>(resources);
    return {};
  }
  /// Gives back what start acquired.
  virtual void stop() noexcept {}
};

}  // namespace troupe
