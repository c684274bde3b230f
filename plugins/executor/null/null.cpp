// Computes nothing: every row of logits is the same. It measures what a step costs outside the
// executor.
#include "troupe/api/plugin.h"

#include <vector>

namespace {

using namespace troupe;

constexpr ParamSpec kParams[] = {
    {.name = "vocab_size",
     .type = ParamType::integer,
     .default_value = "49152",
     .help = "length of a row of logits",
     .unit = "tokens",
     .min = 1,
     .max = 1 << 20},
    {.name = "token",
     .type = ParamType::integer,
     .default_value = "1",
     .help = "the token whose logit is the largest in every row",
     .min = 0,
     .max = (1 << 20) - 1},
    {.name = "context",
     .type = ParamType::integer,
     .default_value = "1048576",
     .help = "longest sequence",
     .unit = "tokens",
     .min = 1,
     .max = 1 << 30},
    {.name = "kv_blocks",
     .type = ParamType::integer,
     .default_value = "1048576",
     .help = "blocks of the key-value cache that is not there",
     .unit = "blocks",
     .min = 1,
     .max = 1 << 30},
    {.name = "max_batch_tokens",
     .type = ParamType::integer,
     .default_value = "8192",
     .help = "most tokens of one step",
     .unit = "tokens",
     .min = 1,
     .max = 1 << 20},
};

class Null final : public Executor {
 public:
  Result<void> configure(const Params& params) override {
    const auto token = params.get_int("token");
    info_.vocab_size = static_cast<std::int32_t>(params.get_int("vocab_size"));
    if (token >= info_.vocab_size)
      return fail(ErrorCode::invalid_argument,
                  "token = " + std::to_string(token) +
                      ": expected less than vocab_size = " + std::to_string(info_.vocab_size));
    info_.context_len = static_cast<std::int32_t>(params.get_int("context"));
    info_.num_blocks = params.get_int("kv_blocks");
    info_.max_batch_tokens = static_cast<std::int32_t>(params.get_int("max_batch_tokens"));
    info_.architecture = "null";
    info_.device = "none";
    info_.activations = info_.kv_precision = info_.kernels = "none";
    row_.assign(static_cast<std::size_t>(info_.vocab_size), 0.0f);
    row_[static_cast<std::size_t>(token)] = 1.0f;
    return {};
  }

  const ExecutorInfo& info() const override { return info_; }

  void submit(const StepPlan& plan, const Done& done) override {
    while (logits_.size() < plan.num_rows * row_.size())
      logits_.insert(logits_.end(), row_.begin(), row_.end());
    result_.clear();
    result_.step = plan.step;
    result_.logits = {logits_.data(), plan.num_rows, info_.vocab_size};
    done(result_);
  }

 private:
  ExecutorInfo info_;
  std::vector<float> row_, logits_;
  StepResult result_;
};

constexpr OperatorSpec kSpec = make_operator<Null, OperatorKind::executor>(
    "null", "computes nothing; measures the cost of a step outside the executor", "", kParams);

}  // namespace

TROUPE_PLUGIN(executor, null, kSpec)
