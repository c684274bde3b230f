#pragma once
#include "troupe/api/step.h"

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::transformer {

/// One row of a step: a token at a position of a sequence.
struct StepRow {
  TokenId token = 0;
  std::int32_t position = 0;
  std::uint32_t segment = 0;
};

/// Attention of a few consecutive rows of a segment for one KV head.
struct AttentionUnit {
  std::uint32_t segment = 0;
  std::uint32_t first_row = 0;  // of the step
  std::int32_t num_rows = 0;
  std::int32_t kv_head = 0;
  std::int32_t first_chunk = 0;  // of kAttentionChunk tokens, that any of its rows sees
  std::int32_t num_chunks = 0;
  std::int64_t partials_offset =
      -1;  // in the partials' memory when its chunks are shared out, else -1
};

/// What one worker takes at a time: a unit as a whole (chunk -1), or one chunk of it.
struct AttentionItem {
  std::uint32_t unit = 0;
  std::int32_t chunk = -1;
};

/// Sizes that a layout depends on.
struct LayoutSizes {
  std::int32_t max_batch_tokens = 0;
  std::int32_t num_kv_heads = 0;
  std::int32_t group = 0;  // query heads of a KV head
  std::int32_t num_threads = 0;
  std::int64_t partial_floats = 0;     // of one query and chunk
  std::int64_t partials_capacity = 0;  // floats
  std::int32_t sliding_window = 0;
};

/// A plan cut into rows and pieces of work. How it is cut never changes a result.
class StepLayout {
 public:
  explicit StepLayout(const LayoutSizes& sizes);

  /// Leaves out the segments of sequences in `lost`: their rows of logits are row 0 of the step.
  /// Pre: check_plan accepted the plan.
  void build(const StepPlan& plan, std::span<const SequenceId> lost = {});

  const std::vector<StepRow>& rows() const { return rows_; }
  /// The row of the step whose logits go to each row of logits, [plan.num_rows].
  const std::vector<std::uint32_t>& logits_rows() const { return logits_rows_; }
  const std::vector<AttentionUnit>& units() const { return units_; }
  const std::vector<AttentionItem>& items() const { return items_; }
  /// Whether chunks of units are shared out, so that they must be combined.
  bool shares_chunks() const { return shares_chunks_; }

 private:
  void add_segment(const StepPlan& plan, std::uint32_t index);
  void share_chunks();

  LayoutSizes sizes_;
  std::vector<StepRow> rows_;
  std::vector<std::uint32_t> logits_rows_;
  std::vector<AttentionUnit> units_;
  std::vector<AttentionItem> items_;
  bool shares_chunks_ = false;
};

}  // namespace troupe::transformer
