#pragma once
#include "troupe/api/operator.h"
#include "troupe/model/model_file.h"
#include "troupe/pipeline/pipeline_spec.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// The models of a pipeline, each opened once, when the first operator asks for it. One thread at a
/// time.
class ModelStore {
 public:
  explicit ModelStore(const std::vector<pipeline::ModelTable>& tables);

  /// Errors: not_found (no such table, or no path given), those of model::open_model.
  Result<std::shared_ptr<const model::ModelFile>> open(std::string_view name);
  Result<Params> params(std::string_view name) const;

 private:
  Result<const Params*> table(std::string_view name) const;

  std::map<std::string, Params, std::less<>> tables_;
  std::map<std::string, std::shared_ptr<const model::ModelFile>, std::less<>> open_;
};

/// What one operator of a pipeline is started with.
class OperatorResources final : public Resources {
 public:
  /// `info` is filled in once the executor of the operator's token loop has started; nullptr
  /// outside a loop.
  OperatorResources(std::shared_ptr<ModelStore> models,
                    std::shared_ptr<std::optional<ExecutorInfo>> info)
      : models_(std::move(models)), info_(std::move(info)) {}

  Result<std::shared_ptr<const model::ModelFile>> model(std::string_view name) override {
    return models_->open(name);
  }
  Result<Params> model_params(std::string_view name) override { return models_->params(name); }
  Result<ExecutorInfo> executor_info() const override;

 private:
  std::shared_ptr<ModelStore> models_;
  std::shared_ptr<std::optional<ExecutorInfo>> info_;
};

}  // namespace troupe::actors
