#pragma once
#include "troupe/actors/model_store.h"
#include "troupe/api/executor.h"
#include "troupe/api/stage.h"
#include "troupe/api/tokenizer.h"
#include "troupe/pipeline/pipeline_spec.h"
#include "troupe/plugin/catalog.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace troupe {

/// Operators of a checked pipeline, started one by one and used as plain objects: no actor, no
/// thread of the runtime, and nothing else of the pipeline is loaded. For tools that want a
/// tokenizer in milliseconds. One thread at a time.
class SingleOperators {
 public:
  /// `spec` and `catalog` must outlive the object.
  SingleOperators(const pipeline::PipelineSpec& spec, const Catalog& catalog);
  /// Stops what was started, the latest first.
  ~SingleOperators();
  SingleOperators(const SingleOperators&) = delete;
  SingleOperators& operator=(const SingleOperators&) = delete;

  /// The tokenizer and the executor of the pipeline's first token loop.
  /// Errors: not_found (the pipeline has no token loop), those of the operator's plugin.
  Result<Tokenizer*> tokenizer();
  Result<Executor*> executor();

  /// The stages that a request passes on its way from a door to that tokenizer, in their order;
  /// behind a router the first way. Errors: those of the stages' plugins.
  Result<std::vector<Stage*>> stages();

 private:
  /// Creates, configures and starts the operator.
  Result<Operator*> start(std::size_t op);
  template <class Kind>
  Result<Kind*> start_as(std::size_t op);
  Result<std::size_t> tokenizer_index() const;

  const pipeline::PipelineSpec& spec_;
  const Catalog& catalog_;
  std::shared_ptr<actors::ModelStore> models_;
  std::shared_ptr<std::optional<ExecutorInfo>> executor_info_;
  std::vector<std::shared_ptr<Operator>> started_;
};

}  // namespace troupe
