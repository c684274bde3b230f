#include "troupe/testing/fake_executor.h"

#include "troupe/api/check.h"
#include "troupe/core/block_math.h"
#include "troupe/testing/fake_model.h"

#include <algorithm>
#include <limits>
#include <string>

namespace troupe::testing {

FakeExecutor::FakeExecutor(ExecutorInfo info) : info_(std::move(info)) {
  forget();
}

void FakeExecutor::forget() {
  memory_.assign(static_cast<std::size_t>(tokens_in(info_.num_blocks)), -1);
  swapped_.assign(static_cast<std::size_t>(tokens_in(info_.num_host_slots + info_.num_file_slots)),
                  -1);
}

std::span<TokenId> FakeExecutor::block(BlockId id) {
  TROUPE_CHECK(id.value < info_.num_blocks);
  return std::span(memory_).subspan(static_cast<std::size_t>(tokens_in(id.value)), kBlockSize);
}

std::span<TokenId> FakeExecutor::swap_slot(std::uint32_t slot) {
  TROUPE_CHECK(slot < info_.num_host_slots + info_.num_file_slots);
  return std::span(swapped_).subspan(static_cast<std::size_t>(tokens_in(slot)), kBlockSize);
}

bool FakeExecutor::is_lost(SequenceId sequence) const {
  return std::find(result_.lost.begin(), result_.lost.end(), sequence) != result_.lost.end();
}

bool FakeExecutor::swap_fails(const BlockSwap& swap) {
  if (!on_swap || !on_swap(swap)) return false;
  if (result_.lost.empty()) result_.lost_reason = "slot " + std::to_string(swap.slot) + ": refused";
  if (!is_lost(swap.sequence)) result_.lost.push_back(swap.sequence);
  return true;
}

void FakeExecutor::move_blocks(const StepPlan& plan) {
  const auto copy = [](std::span<const TokenId> from, std::span<TokenId> to) {
    std::copy(from.begin(), from.end(), to.begin());
  };
  const auto empty = [](std::span<TokenId> slots) { std::fill(slots.begin(), slots.end(), -1); };
  for (const auto& swap : plan.swap_outs) {
    if (swap_fails(swap))
      empty(swap_slot(swap.slot));
    else
      copy(block(swap.block), swap_slot(swap.slot));
  }
  for (const auto& [from, to] : plan.copies)
    copy(block(from), block(to));
  for (const auto& swap : plan.swap_ins) {
    if (swap_fails(swap))
      empty(block(swap.block));
    else
      copy(swap_slot(swap.slot), block(swap.block));
  }
}

std::size_t FakeExecutor::slot(const StepPlan& plan, const StepSegment& segment,
                               std::int32_t position) const {
  const auto index = static_cast<std::uint32_t>(block_index(position));
  TROUPE_CHECK(index < segment.num_blocks);
  const BlockId block = plan.block_ids[segment.block_offset + index];
  TROUPE_CHECK(block.value < info_.num_blocks);
  return static_cast<std::size_t>(tokens_in(block.value) + block_offset(position));
}

void FakeExecutor::check_plan(const StepPlan& plan) const {
  std::int64_t num_tokens = 0;
  std::uint32_t rows = 0;
  std::vector<SequenceId> sequences;
  for (const auto& segment : plan.segments) {
    TROUPE_CHECK(segment.num_tokens > 0 && segment.first_position >= 0);
    TROUPE_CHECK(segment.first_position + segment.num_tokens <= info_.context_len);
    TROUPE_CHECK(segment.token_offset == num_tokens);
    TROUPE_CHECK(segment.block_offset + segment.num_blocks <= plan.block_ids.size());
    TROUPE_CHECK(segment.rows == RowsWanted::none || segment.first_row == rows);
    num_tokens += segment.num_tokens;
    rows += segment.num_rows();
    sequences.push_back(segment.sequence);
  }
  TROUPE_CHECK(num_tokens == static_cast<std::int64_t>(plan.token_ids.size()));
  TROUPE_CHECK(num_tokens <= info_.max_batch_tokens);
  TROUPE_CHECK(rows == plan.num_rows);
  std::sort(sequences.begin(), sequences.end());
  TROUPE_CHECK(std::adjacent_find(sequences.begin(), sequences.end()) == sequences.end());
}

void FakeExecutor::write(const StepPlan& plan, const StepSegment& segment) {
  for (std::int32_t i = 0; i < segment.num_tokens; ++i)
    memory_[slot(plan, segment, segment.first_position + i)] =
        plan.token_ids[segment.token_offset + static_cast<std::uint32_t>(i)];
}

void FakeExecutor::compute_rows(const StepPlan& plan, const StepSegment& segment) {
  const std::int32_t length = segment.first_position + segment.num_tokens;
  history_.clear();
  const std::int32_t window = info_.sliding_window;
  const auto first_seen = [&](std::int32_t end) {
    return window == 0 ? 0 : std::max(0, end - window);
  };
  const auto num_rows = static_cast<std::int32_t>(segment.num_rows());
  if (num_rows == 0) return;
  const std::int32_t begin = first_seen(length - num_rows + 1);
  for (std::int32_t position = begin; position < length; ++position) {
    history_.push_back(memory_[slot(plan, segment, position)]);
    TROUPE_CHECK(history_.back() >= 0);  // read before it was computed
  }
  const auto vocab_size = static_cast<std::size_t>(info_.vocab_size);
  for (std::uint32_t i = 0; i < segment.num_rows(); ++i) {
    const std::int32_t end = length - num_rows + 1 + static_cast<std::int32_t>(i);
    const std::int32_t first = first_seen(end);
    fake_logits(std::span(history_).subspan(static_cast<std::size_t>(first - begin),
                                            static_cast<std::size_t>(end - first)),
                std::span(logits_).subspan((segment.first_row + i) * vocab_size, vocab_size));
  }
}

void FakeExecutor::blank_rows(const StepSegment& segment) {
  const auto vocab_size = static_cast<std::size_t>(info_.vocab_size);
  std::ranges::fill(
      std::span(logits_).subspan(segment.first_row * vocab_size, segment.num_rows() * vocab_size),
      std::numeric_limits<float>::quiet_NaN());
}

void FakeExecutor::submit(const StepPlan& plan, const Done& done) {
  TROUPE_CHECK(!plan.empty());
  check_plan(plan);
  ++steps;
  tokens += static_cast<std::int64_t>(plan.token_ids.size());
  result_.clear();
  result_.step = plan.step;
  if (timings) result_.timings = timings(plan);
  if (on_step) result_.error = on_step(plan);
  if (result_.error) {
    if (!plan.segments.empty()) write(plan, plan.segments.front());
    done(result_);
    return;
  }
  move_blocks(plan);
  for (const auto& segment : plan.segments)
    write(plan, segment);
  logits_.resize(plan.num_rows * static_cast<std::size_t>(info_.vocab_size));
  for (const auto& segment : plan.segments) {
    if (is_lost(segment.sequence)) {
      blank_rows(segment);
      continue;
    }
    compute_rows(plan, segment);
    if (segment.rows == RowsWanted::none || !on_segment) continue;
    if (auto error = on_segment(segment)) result_.failed.emplace_back(segment.sequence, *error);
  }
  result_.logits = {logits_.data(), plan.num_rows, info_.vocab_size};
  done(result_);
}

}  // namespace troupe::testing
