#pragma once
#include "troupe/api/operator.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace troupe::testing {

/// Resources for tests: what was put in comes out, everything else is not_found.
class FakeResources : public Resources {
 public:
  /// An executor with a vocabulary of 64 tokens, 256 positions and 64 blocks.
  FakeResources() {
    executor.emplace();
    executor->vocab_size = 64;
    executor->context_len = 256;
    executor->num_blocks = 64;
    executor->max_batch_tokens = 512;
    executor->architecture = "fake";
    executor->device = "cpu";
  }

  Result<std::shared_ptr<const model::ModelFile>> model(std::string_view name) override {
    const auto found = models.find(std::string(name));
    if (found == models.end()) return missing("model", name);
    return found->second;
  }

  Result<Params> model_params(std::string_view name) override {
    const auto found = params.find(std::string(name));
    if (found == params.end()) return missing("parameters of model", name);
    return found->second;
  }

  Result<ExecutorInfo> executor_info() const override {
    if (!executor) return fail(ErrorCode::not_found, "no executor has started");
    return *executor;
  }

  std::optional<ExecutorInfo> executor;
  std::map<std::string, std::shared_ptr<const model::ModelFile>> models;
  std::map<std::string, Params> params;

 private:
  static tl::unexpected<Error> missing(const char* what, std::string_view name) {
    return fail(ErrorCode::not_found,
                std::string("this test has no ") + what + " " + std::string(name));
  }
};

}  // namespace troupe::testing
