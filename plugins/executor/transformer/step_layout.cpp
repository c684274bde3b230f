#include "plugins/executor/transformer/step_layout.h"

#include "kernels/paged_attention/paged_attention.h"

#include <algorithm>
#include <tuple>

namespace troupe::transformer {
namespace {

constexpr std::int32_t kUnitQueries = 16;

}  // namespace

StepLayout::StepLayout(const LayoutSizes& sizes) : sizes_(sizes) {
  const auto rows = static_cast<std::size_t>(sizes.max_batch_tokens);
  const auto units = rows * static_cast<std::size_t>(sizes.num_kv_heads);
  rows_.reserve(rows);
  logits_rows_.reserve(rows);
  units_.reserve(units);
  items_.reserve(
      std::max(units, static_cast<std::size_t>(sizes.partials_capacity / sizes.partial_floats)));
}

void StepLayout::build(const StepPlan& plan, std::span<const SequenceId> lost) {
  rows_.clear();
  units_.clear();
  items_.clear();
  logits_rows_.assign(plan.num_rows, 0);
  for (std::uint32_t i = 0; i < plan.segments.size(); ++i)
    if (std::ranges::find(lost, plan.segments[i].sequence) == lost.end()) add_segment(plan, i);
  // Longest context first: the short ones then fill the gaps at the end. (stable_sort would
  // allocate.)
  std::ranges::sort(units_, [](const auto& a, const auto& b) {
    return std::tuple(-a.num_chunks, a.first_row, a.kv_head) <
           std::tuple(-b.num_chunks, b.first_row, b.kv_head);
  });
  share_chunks();
  for (std::uint32_t i = 0; i < units_.size(); ++i)
    if (units_[i].partials_offset < 0)
      items_.push_back({i, -1});
    else
      for (std::int32_t chunk = 0; chunk < units_[i].num_chunks; ++chunk)
        items_.push_back({i, units_[i].first_chunk + chunk});
}

void StepLayout::add_segment(const StepPlan& plan, std::uint32_t index) {
  const auto& segment = plan.segments[index];
  const auto first_row = static_cast<std::uint32_t>(rows_.size());
  for (std::int32_t i = 0; i < segment.num_tokens; ++i)
    rows_.push_back({plan.token_ids[segment.token_offset + static_cast<std::uint32_t>(i)],
                     segment.first_position + i, index});
  for (std::uint32_t i = 0; i < segment.num_rows(); ++i)
    logits_rows_[segment.first_row + i] =
        static_cast<std::uint32_t>(rows_.size()) - segment.num_rows() + i;

  const auto step = std::max(1, kUnitQueries / sizes_.group);
  for (std::int32_t head = 0; head < sizes_.num_kv_heads; ++head)
    for (std::int32_t row = 0; row < segment.num_tokens; row += step) {
      const auto count = std::min(step, segment.num_tokens - row);
      const auto position = segment.first_position + row;
      const auto first_chunk =
          kernels::first_seen(position, sizes_.sliding_window) / kernels::kAttentionChunk;
      const auto last_chunk = (position + count - 1) / kernels::kAttentionChunk;
      units_.push_back({index, first_row + static_cast<std::uint32_t>(row), count, head,
                        first_chunk, last_chunk - first_chunk + 1, -1});
    }
}

/// With fewer units than keep all workers busy, the chunks of each are handed out singly.
void StepLayout::share_chunks() {
  shares_chunks_ = false;
  if (sizes_.num_threads == 1 || units_.size() >= 4 * static_cast<std::size_t>(sizes_.num_threads))
    return;
  std::int64_t floats = 0;
  for (auto& unit : units_) {
    if (unit.num_chunks < 2) continue;
    const auto size =
        std::int64_t{unit.num_rows} * sizes_.group * unit.num_chunks * sizes_.partial_floats;
    if (floats + size > sizes_.partials_capacity) continue;
    unit.partials_offset = floats;
    floats += size;
    shares_chunks_ = true;
  }
}

}  // namespace troupe::transformer
