#include "plugins/executor/transformer/plan_check.h"

#include "kernels/paged_attention/paged_attention.h"
#include "troupe/core/block_math.h"

#include <algorithm>
#include <optional>
#include <string>

namespace troupe::transformer {
namespace {

std::string number(auto value) {
  return std::to_string(value);
}

/// Of copies and swaps.
class MovesChecker {
 public:
  MovesChecker(const StepPlan& plan, const PlanLimits& limits, PlanMarks& marks)
      : plan_(plan), limits_(limits), slots_(marks.slots), blocks_(marks.blocks) {}

  Result<void> check() {
    if (plan_.copies.empty() && plan_.swap_outs.empty() && plan_.swap_ins.empty()) return {};
    if (num_slots() == 0 && !(plan_.swap_outs.empty() && plan_.swap_ins.empty()))
      return fail(ErrorCode::unsupported,
                  "plan: this executor has no lower tier to swap blocks with; give it swap_bytes "
                  "or swap_file_bytes");
    slots_.clear();
    blocks_.clear();
    if (auto outs = check_outs(); !outs) return outs;
    if (auto copies = check_copies(); !copies) return copies;
    if (auto ins = check_ins(); !ins) return ins;
    if (const auto twice = find_twice(blocks_))
      return invalid("block " + number(*twice) + " is written by two copies or swaps");
    return {};
  }

 private:
  static tl::unexpected<Error> invalid(const std::string& problem) {
    return fail(ErrorCode::invalid_argument, "plan: " + problem);
  }
  /// A value that stands twice in a list, which is sorted.
  static std::optional<std::uint32_t> find_twice(std::vector<std::uint32_t>& values) {
    std::ranges::sort(values);
    const auto twice = std::ranges::adjacent_find(values);
    return twice == values.end() ? std::nullopt : std::optional(*twice);
  }
  std::int64_t num_slots() const { return limits_.slots ? limits_.slots->count() : 0; }

  Result<void> check_range(const BlockSwap& swap, const char* name) const {
    if (swap.block.value < limits_.num_blocks && swap.slot < num_slots()) return {};
    return invalid(std::string(name) + " of sequence " + number(swap.sequence.value) + ": block " +
                   number(swap.block.value) + " of " + number(limits_.num_blocks) + ", slot " +
                   number(swap.slot) + " of " + number(num_slots()));
  }

  Result<void> check_outs() {
    for (const auto& swap : plan_.swap_outs) {
      if (auto range = check_range(swap, "swap_out"); !range) return range;
      slots_.push_back(swap.slot);
    }
    if (const auto twice = find_twice(slots_))
      return invalid("slot " + number(*twice) + " is written by two swap_outs");
    return {};
  }

  Result<void> check_copies() {
    for (const auto& copy : plan_.copies) {
      if (copy.from.value >= limits_.num_blocks || copy.to.value >= limits_.num_blocks ||
          copy.from == copy.to)
        return invalid("cannot copy block " + number(copy.from.value) + " to " +
                       number(copy.to.value) + " of " + number(limits_.num_blocks) + " blocks");
      blocks_.push_back(copy.to.value);
    }
    return {};
  }

  Result<void> check_ins() {
    for (const auto& swap : plan_.swap_ins) {
      if (auto range = check_range(swap, "swap_in"); !range) return range;
      if (limits_.slots->state(swap.slot) == SlotState::never_written &&
          !std::ranges::binary_search(slots_, swap.slot))
        return invalid("swap_in of sequence " + number(swap.sequence.value) + ": slot " +
                       number(swap.slot) + " was never written");
      blocks_.push_back(swap.block.value);
    }
    return {};
  }

  const StepPlan& plan_;
  const PlanLimits& limits_;
  std::vector<std::uint32_t>& slots_;
  std::vector<std::uint32_t>& blocks_;
};

/// Of segments.
class Checker {
 public:
  Checker(const StepPlan& plan, const PlanLimits& limits, PlanMarks& marks)
      : plan_(plan), limits_(limits), row_taken_(marks.row_taken) {}

  Result<void> check() {
    if (plan_.num_rows > static_cast<std::uint32_t>(limits_.max_batch_tokens))
      return fail(ErrorCode::invalid_argument,
                  "plan: " + number(plan_.num_rows) + " rows of logits, at most " +
                      number(limits_.max_batch_tokens) + " are possible");
    row_taken_.assign(plan_.num_rows, false);
    for (std::size_t i = 0; i < plan_.segments.size(); ++i)
      if (const auto problem = check_segment(plan_.segments[i]); !problem.empty())
        return fail(ErrorCode::invalid_argument, "plan: segment " + number(i) + " (sequence " +
                                                     number(plan_.segments[i].sequence.value) +
                                                     "): " + problem);
    return check_totals();
  }

 private:
  /// What is wrong with a segment; empty when nothing is.
  std::string check_segment(const StepSegment& segment) {
    if (segment.num_tokens < 1) return number(segment.num_tokens) + " tokens, expected at least 1";
    total_tokens_ += segment.num_tokens;
    const auto end = std::int64_t{segment.first_position} + segment.num_tokens;
    if (segment.first_position < 0 || end > limits_.context_len)
      return "positions " + number(segment.first_position) + " to " + number(end - 1) +
             ", but the context has " + number(limits_.context_len);
    if (std::uint64_t{segment.token_offset} + static_cast<std::uint64_t>(segment.num_tokens) >
        plan_.token_ids.size())
      return "its tokens lie past the end of the plan's " + number(plan_.token_ids.size());
    for (std::int32_t i = 0; i < segment.num_tokens; ++i)
      if (const auto id = plan_.token_ids[segment.token_offset + static_cast<std::uint32_t>(i)];
          id < 0 || id >= limits_.vocab_size)
        return "token id " + number(id) + " at position " + number(segment.first_position + i) +
               " is outside the vocabulary of " + number(limits_.vocab_size);
    if (auto problem = check_table(segment, end); !problem.empty()) return problem;
    return check_rows(segment);
  }

  std::string check_table(const StepSegment& segment, std::int64_t end) const {
    const auto needed = blocks_for(end);
    if (segment.num_blocks < needed)
      return "a block table of " + number(segment.num_blocks) + " entries, but " + number(end) +
             " positions need " + number(needed);
    if (std::uint64_t{segment.block_offset} + segment.num_blocks > plan_.block_ids.size())
      return "its block table lies past the end of the plan's " + number(plan_.block_ids.size()) +
             " entries";
    const auto first_needed =
        block_index(kernels::first_seen(segment.first_position, limits_.sliding_window));
    for (auto i = first_needed; i < needed; ++i)
      if (const auto id = plan_.block_ids[segment.block_offset + static_cast<std::uint64_t>(i)];
          id.value >= limits_.num_blocks)
        return "block " + number(id.value) + " in its table, but there are " +
               number(limits_.num_blocks);
    return {};
  }

  std::string check_rows(const StepSegment& segment) {
    const auto end = std::uint64_t{segment.first_row} + segment.num_rows();
    if (segment.num_rows() == 0) return {};
    if (end > plan_.num_rows)
      return "wants rows " + number(segment.first_row) + " to " + number(end - 1) +
             " of logits, but the plan has " + number(plan_.num_rows);
    for (auto row = segment.first_row; row < end; ++row) {
      if (row_taken_[row]) return "row " + number(row) + " of the logits is another segment's";
      row_taken_[row] = true;
    }
    total_rows_ += segment.num_rows();
    return {};
  }

  Result<void> check_totals() const {
    if (total_tokens_ > limits_.max_batch_tokens)
      return fail(ErrorCode::invalid_argument, "plan: " + number(total_tokens_) +
                                                   " tokens, but max_batch_tokens is " +
                                                   number(limits_.max_batch_tokens));
    if (total_rows_ != plan_.num_rows)
      return fail(ErrorCode::invalid_argument, "plan: " + number(plan_.num_rows) +
                                                   " rows of logits, but its segments want " +
                                                   number(total_rows_));
    return {};
  }

  const StepPlan& plan_;
  const PlanLimits& limits_;
  std::vector<bool>& row_taken_;
  std::int64_t total_tokens_ = 0;
  std::uint64_t total_rows_ = 0;
};

}  // namespace

Result<void> check_plan(const StepPlan& plan, const PlanLimits& limits, PlanMarks& marks) {
  if (auto moves = MovesChecker(plan, limits, marks).check(); !moves) return moves;
  return Checker(plan, limits, marks).check();
}

}  // namespace troupe::transformer
