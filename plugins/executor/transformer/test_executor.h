#pragma once
// What the tests and the bench of this folder share: an executor started on a file, and plans made
// by hand.
#include "plugins/executor/transformer/transformer.h"
#include "troupe/core/block_math.h"
#include "troupe/model/model_file.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::transformer::testing {

/// One model table, as a pipeline would have it.
class OneModel final : public Resources {
 public:
  OneModel(std::filesystem::path path, Value::Object table)
      : path_(std::move(path)), table_(std::move(table)) {}

  Result<std::shared_ptr<const model::ModelFile>> model(std::string_view name) override {
    if (name != "default") return fail(ErrorCode::not_found, "no such model table");
    return model::open_model(path_);
  }
  Result<Params> model_params(std::string_view) override { return Params(table_); }
  Result<ExecutorInfo> executor_info() const override {
    return fail(ErrorCode::not_found, "none started");
  }

 private:
  std::filesystem::path path_;
  Value::Object table_;
};

/// The declared defaults with some values changed.
inline Params executor_params(const Value::Object& changed = {}) {
  Value values(Value::Object{{"model", "default"},
                             {"device", "cpu"},
                             {"threads", 1},
                             {"tp_size", 1},
                             {"max_batch_tokens", 512},
                             {"kv_blocks", 0},
                             {"kv_bytes", std::int64_t{64} << 20},
                             {"swap_bytes", 0},
                             {"swap_file_bytes", 0},
                             {"swap_dir", std::filesystem::temp_directory_path().string()}});
  for (const auto& [key, value] : changed)
    values.set(key, value);
  return Params(values.as_object());
}

inline Result<std::unique_ptr<TransformerExecutor>> start_executor(
    const std::filesystem::path& path, const Value::Object& params = {},
    const Value::Object& table = {}) {
  auto executor = std::make_unique<TransformerExecutor>();
  if (auto configured = executor->configure(executor_params(params)); !configured)
    return fail(configured.error());
  OneModel resources(path, table);
  if (auto started = executor->start(resources); !started) return fail(started.error());
  return executor;
}

/// Adds a segment to a plan. `blocks` is the sequence's whole table.
inline void add_segment(StepPlan& plan, std::uint64_t sequence, std::int32_t first_position,
                        const std::vector<TokenId>& tokens, const std::vector<BlockId>& blocks,
                        RowsWanted rows) {
  StepSegment segment;
  segment.sequence.value = sequence;
  segment.first_position = first_position;
  segment.num_tokens = static_cast<std::int32_t>(tokens.size());
  segment.token_offset = static_cast<std::uint32_t>(plan.token_ids.size());
  segment.block_offset = static_cast<std::uint32_t>(plan.block_ids.size());
  segment.num_blocks = static_cast<std::uint32_t>(blocks.size());
  segment.rows = rows;
  segment.first_row = plan.num_rows;
  plan.num_rows += segment.num_rows();
  plan.token_ids.insert(plan.token_ids.end(), tokens.begin(), tokens.end());
  plan.block_ids.insert(plan.block_ids.end(), blocks.begin(), blocks.end());
  plan.segments.push_back(segment);
}

/// `count` blocks from `first` on.
inline std::vector<BlockId> blocks_from(std::uint32_t first, std::int64_t count) {
  std::vector<BlockId> blocks;
  for (std::int64_t i = 0; i < count; ++i)
    blocks.push_back({first + static_cast<std::uint32_t>(i)});
  return blocks;
}

/// What submit hands to its callback. The logits live until the next call.
inline StepResult submit(Executor& executor, const StepPlan& plan) {
  StepResult result;
  int calls = 0;
  executor.submit(plan, [&](const StepResult& given) {
    result = given;
    ++calls;
  });
  TROUPE_CHECK(calls == 1);
  return result;
}

inline TokenId largest_of(std::span<const float> logits) {
  return static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

/// Continues a prompt greedily until `end` (or `count` tokens), in blocks 0, 1, ...
inline std::vector<TokenId> continue_greedily(Executor& executor,
                                              const std::vector<TokenId>& prompt, int count,
                                              TokenId end) {
  std::vector<TokenId> output, next = prompt;
  std::int32_t position = 0;
  const auto blocks = blocks_from(0, blocks_for(static_cast<std::int64_t>(prompt.size()) + count));
  while (static_cast<int>(output.size()) < count) {
    StepPlan plan;
    add_segment(plan, 1, position, next, blocks, RowsWanted::last);
    const auto result = submit(executor, plan);
    TROUPE_CHECK(!result.error && result.failed.empty());
    position += static_cast<std::int32_t>(next.size());
    next = {largest_of(result.logits.row(0))};
    if (next[0] == end) break;
    output.push_back(next[0]);
  }
  return output;
}

}  // namespace troupe::transformer::testing
