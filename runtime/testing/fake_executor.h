#pragma once
#include "troupe/api/executor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace troupe::testing {

/// An executor without a model. It keeps each computed token in the slot that the block table names
/// and makes its logits (fake_logits) from what it reads back there: a wrong table, a block given
/// away too early or a position never computed shows as a wrong token or a failed check. With a
/// sliding window, a row sees no more than the window.
class FakeExecutor : public Executor {
 public:
  explicit FakeExecutor(ExecutorInfo info);

  const ExecutorInfo& info() const override { return info_; }
  void submit(const StepPlan& plan, const Done& done) override;

  /// As when the device's memory was lost, and with it the lower tiers.
  void forget();

  /// Asked before each step; an error it returns fails the step, after part of it was written.
  std::function<std::optional<Error>(const StepPlan&)> on_step;
  /// Asked for each swap, out or in; true = it fails, and with it what the sequence had.
  std::function<bool(const BlockSwap&)> on_swap;
  /// Asked for each segment that wants rows; an error it returns fails that sequence.
  std::function<std::optional<Error>(const StepSegment&)> on_segment;
  /// What the step is said to have taken; without it, nothing.
  std::function<StepTimings(const StepPlan&)> timings;
  std::int64_t steps = 0;
  std::int64_t tokens = 0;

 private:
  void check_plan(const StepPlan& plan) const;
  void move_blocks(const StepPlan& plan);
  std::span<TokenId> block(BlockId id);
  std::span<TokenId> swap_slot(std::uint32_t slot);
  bool swap_fails(const BlockSwap& swap);
  bool is_lost(SequenceId sequence) const;
  void write(const StepPlan& plan, const StepSegment& segment);
  /// As an executor's rows of a sequence that was lost: nobody may take them for logits.
  void blank_rows(const StepSegment& segment);
  void compute_rows(const StepPlan& plan, const StepSegment& segment);
  std::size_t slot(const StepPlan& plan, const StepSegment& segment, std::int32_t position) const;

  ExecutorInfo info_;
  std::vector<TokenId> memory_;   // [num_blocks * kBlockSize]; -1 = never computed
  std::vector<TokenId> swapped_;  // [num_host_slots + num_file_slots, kBlockSize]; -1 = no content
  std::vector<float> logits_;
  std::vector<TokenId> history_;
  StepResult result_;
};

}  // namespace troupe::testing
