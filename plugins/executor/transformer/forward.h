#pragma once
#include "kernels/matmul/matmul.h"
#include "kernels/paged_attention/paged_attention.h"
#include "kernels/rms_norm/rms_norm.h"
#include "kernels/swiglu/swiglu.h"
#include "plugins/executor/transformer/kv_pool.h"
#include "plugins/executor/transformer/step_layout.h"
#include "plugins/executor/transformer/weights.h"
#include "plugins/executor/transformer/workspace.h"
#include "troupe/api/step.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace troupe::transformer {

/// The forward pass of a decoder-only transformer: all rows of a step together, whatever sequences
/// they are of, in one run of the thread team with barriers between the phases. Bits: a row of
/// logits depends on its sequence's tokens up to its position, the weights and the precisions
/// alone. Every phase works on rows, or on outputs of rows, one by one.
class Forward {
 public:
  /// Errors: resource_exhausted (no memory for the workspace).
  static Result<std::unique_ptr<Forward>> create(const model::TransformerSpec& spec,
                                                 const Weights& weights,
                                                 const ModelOptions& options,
                                                 std::int32_t max_batch_tokens, KvPool& pool,
                                                 ThreadTeam& team);

  /// Runs the segments of a plan on the calling thread and the team, all but those of sequences in
  /// result.lost, whose rows of logits become NaN. Allocates nothing once it has seen its largest
  /// plan. Pre: check_plan accepted the plan, and its memory operations are done. The logits live
  /// until the next run.
  void run(const StepPlan& plan, StepResult& result);

 private:
  /// The input of a projection, rounded to each precision its matrices take.
  using PackedInput = std::array<kernels::PackedActivations, kernels::kPrecisions>;

  Forward(const model::TransformerSpec& spec, const Weights& weights, KvPool& pool,
          ThreadTeam& team, Workspace workspace, const LayoutSizes& sizes,
          const ModelOptions& options);

  void work(int worker);
  void embed();
  void layer(std::int64_t index, int worker);
  void attention(std::int64_t layer, int worker);
  void logits();
  void check_logits();

  PackedInput packed_input(std::int64_t rows, std::int64_t width);
  template <class Prepare>
  void prepare_and_pack(const Projection& projection, const PackedInput& input, const float* x,
                        const Prepare& prepare);
  void multiply(const Projection& projection, const PackedInput& input,
                std::span<float* const> outputs, bool accumulate);
  void normalize(std::int64_t row, const float* input, const std::vector<float>& weight,
                 float* output, std::int32_t stage);
  void place(std::int64_t row, std::int64_t layer);
  kernels::AttentionRows attention_rows(const AttentionUnit& unit, std::int64_t layer, int worker);

  void mark_failed(std::int64_t row, std::int32_t stage);
  std::string stage_name(std::int32_t stage) const;
  void blank_lost_rows(const StepResult& result);
  void report_failures(StepResult& result) const;

  const model::TransformerSpec& spec_;
  const Weights& weights_;
  KvPool& pool_;
  ThreadTeam& team_;
  Workspace memory_;
  StepLayout layout_;
  kernels::RmsNorm rms_norm_;
  kernels::Swiglu swiglu_;
  const kernels::PagedAttention& attention_;
  std::vector<double> frequencies_;  // of rope, [rope.dims / 2]
  /// int8 keys lose least when no element is far larger than the others: keys and queries are
  /// turned alike, which leaves their products as they are.
  bool turns_keys_;
  float epsilon_;
  float scale_;  // of attention scores

  // Of the present step.
  const StepPlan* plan_ = nullptr;
  std::int64_t num_rows_ = 0;
  PackedInput hidden_input_, attention_input_, mlp_input_, head_input_;
  std::vector<std::int32_t>
      failed_stage_;  // by row of the step: the first stage found not finite, or -1
  double attention_us_ = 0;
  double matmul_us_ = 0;
};

}  // namespace troupe::transformer
