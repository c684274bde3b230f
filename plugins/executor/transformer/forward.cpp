#include "plugins/executor/transformer/forward.h"

#include "kernels/hadamard/hadamard.h"
#include "kernels/rope/rope.h"
#include "troupe/core/block_math.h"
#include "troupe/device/cpu_features.h"
#include "troupe/model/dequantize.h"
#include "troupe/model/weight_type.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace troupe::transformer {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Adds the time until its end to a sum; on worker 0 only, who keeps the books.
class PhaseTimer {
 public:
  PhaseTimer(int worker, double& sum) : sum_(worker == 0 ? &sum : nullptr) {
    if (sum_) start_ = Clock::now();
  }
  ~PhaseTimer() {
    if (sum_) *sum_ += microseconds_since(start_);
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double* sum_;
  Clock::time_point start_;
};

bool all_finite(const float* values, std::int64_t count) {
  std::uint32_t bad = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int32_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    bad |= (bits & 0x7fffffff) > 0x7f7fffff ? 1u : 0u;
  }
  return bad == 0;
}

LayoutSizes layout_sizes(const model::ModelSpec& spec, const KvPool& pool, const ThreadTeam& team,
                         std::int32_t max_batch_tokens, std::int64_t partials_capacity) {
  LayoutSizes sizes;
  sizes.max_batch_tokens = max_batch_tokens;
  sizes.num_kv_heads = static_cast<std::int32_t>(spec.num_kv_heads);
  sizes.group = static_cast<std::int32_t>(spec.num_attention_heads / spec.num_kv_heads);
  sizes.num_threads = team.size();
  sizes.partial_floats = kernels::attention_partial_floats(pool.layout());
  sizes.partials_capacity = partials_capacity;
  sizes.sliding_window = static_cast<std::int32_t>(spec.sliding_window);
  return sizes;
}

}  // namespace

Result<std::unique_ptr<Forward>> Forward::create(const model::TransformerSpec& spec,
                                                 const Weights& weights,
                                                 const ModelOptions& options,
                                                 std::int32_t max_batch_tokens, KvPool& pool,
                                                 ThreadTeam& team) {
  auto workspace = Workspace::allocate(spec.model, pool.layout(), max_batch_tokens, team.size());
  if (!workspace) return fail(workspace.error());
  const auto sizes =
      layout_sizes(spec.model, pool, team, max_batch_tokens, workspace->partials_capacity);
  return std::unique_ptr<Forward>(
      new Forward(spec, weights, pool, team, std::move(*workspace), sizes, options));
}

Forward::Forward(const model::TransformerSpec& spec, const Weights& weights, KvPool& pool,
                 ThreadTeam& team, Workspace workspace, const LayoutSizes& sizes,
                 const ModelOptions& options)
    : spec_(spec),
      weights_(weights),
      pool_(pool),
      team_(team),
      memory_(std::move(workspace)),
      layout_(sizes),
      rms_norm_(kernels::rms_norm_for(cpu_level())),
      swiglu_(kernels::swiglu_for(cpu_level())),
      attention_(kernels::paged_attention_for(cpu_level(), options.kv_precision)),
      frequencies_(kernels::rope_frequencies(spec.model.rope.dims, spec.model.rope.theta,
                                             spec.model.rope.linear_factor,
                                             spec.model.rope.divisors)),
      turns_keys_(options.kv_precision == kernels::KvPrecision::int8),
      epsilon_(static_cast<float>(spec.model.rms_norm_eps)),
      scale_(1.0f / std::sqrt(static_cast<float>(spec.model.head_dim))) {
  failed_stage_.reserve(static_cast<std::size_t>(sizes.max_batch_tokens));
}

void Forward::run(const StepPlan& plan, StepResult& result) {
  const auto start = Clock::now();
  attention_us_ = matmul_us_ = 0;
  plan_ = &plan;
  layout_.build(plan, result.lost);
  num_rows_ = static_cast<std::int64_t>(layout_.rows().size());
  failed_stage_.assign(layout_.rows().size(), -1);
  if (num_rows_ > 0) {
    const auto& sizes = spec_.model;
    hidden_input_ = packed_input(num_rows_, sizes.hidden_size);
    attention_input_ = packed_input(num_rows_, sizes.num_attention_heads * sizes.head_dim);
    mlp_input_ = packed_input(num_rows_, sizes.intermediate_size);
    if (plan.num_rows > 0) head_input_ = packed_input(plan.num_rows, sizes.hidden_size);
    team_.run([this](int worker) { work(worker); });
  }
  result.logits = {memory_.logits, plan.num_rows,
                   static_cast<std::int32_t>(spec_.model.vocab_size)};
  blank_lost_rows(result);
  report_failures(result);
  result.timings.total_us = microseconds_since(start);
  result.timings.attention_us = attention_us_;
  result.timings.matmul_us = matmul_us_;
}

/// Nobody may take what stands in the rows of a sequence that was not computed for logits.
void Forward::blank_lost_rows(const StepResult& result) {
  if (result.lost.empty()) return;
  const auto width = spec_.model.vocab_size;
  for (const auto& segment : plan_->segments)
    if (std::ranges::find(result.lost, segment.sequence) != result.lost.end())
      std::fill_n(memory_.logits + segment.first_row * width, segment.num_rows() * width,
                  std::numeric_limits<float>::quiet_NaN());
}

Forward::PackedInput Forward::packed_input(std::int64_t rows, std::int64_t width) {
  PackedInput input;
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] =
        kernels::PackedActivations(kernels::matmul_variant(), static_cast<kernels::Precision>(i),
                                   rows, width, memory_.packed[i]);
  return input;
}

void Forward::work(int worker) {
  embed();
  for (std::int64_t i = 0; i < spec_.model.num_layers; ++i)
    layer(i, worker);
  if (plan_->num_rows == 0) return;
  {
    const PhaseTimer timer(worker, matmul_us_);
    logits();
  }
  check_logits();
}

/// Rows of the embedding, and each row's angles for all layers.
void Forward::embed() {
  const auto& table = *weights_.embedding;
  const auto width = spec_.model.hidden_size;
  const auto stride = model::row_bytes(table.type, width);
  const auto pairs = static_cast<std::int64_t>(frequencies_.size());
  for (auto row = team_.next_chunk(num_rows_); row >= 0; row = team_.next_chunk(num_rows_)) {
    const auto& step_row = layout_.rows()[static_cast<std::size_t>(row)];
    model::dequantize_row(table.type, table.data.data() + step_row.token * stride,
                          memory_.hidden + row * width, width);
    kernels::rope_angles(step_row.position, frequencies_, memory_.cosines + row * pairs,
                         memory_.sines + row * pairs);
  }
  team_.barrier();
}

void Forward::layer(std::int64_t index, int worker) {
  const auto& weights = weights_.layers[static_cast<std::size_t>(index)];
  const auto stage = static_cast<std::int32_t>(2 * index);
  const auto width = spec_.model.hidden_size;
  float* const hidden = memory_.hidden;
  float* const normed = memory_.normed;

  prepare_and_pack(weights.qkv, hidden_input_, normed, [&](std::int64_t row) {
    normalize(row, hidden + row * width, weights.attention_norm, normed + row * width, stage);
  });
  {
    const PhaseTimer timer(worker, matmul_us_);
    multiply(weights.qkv, hidden_input_, std::array{memory_.queries, memory_.keys, memory_.values},
             false);
  }
  {
    const PhaseTimer timer(worker, attention_us_);
    for (auto row = team_.next_chunk(num_rows_); row >= 0; row = team_.next_chunk(num_rows_))
      place(row, index);
    team_.barrier();
    attention(index, worker);
  }
  prepare_and_pack(weights.output, attention_input_, memory_.queries, [](std::int64_t) {});
  {
    const PhaseTimer timer(worker, matmul_us_);
    multiply(weights.output, attention_input_, std::array{hidden}, true);
  }
  prepare_and_pack(weights.gate_up, hidden_input_, normed, [&](std::int64_t row) {
    normalize(row, hidden + row * width, weights.mlp_norm, normed + row * width, stage + 1);
  });
  const auto inner = spec_.model.intermediate_size;
  const PhaseTimer timer(worker, matmul_us_);
  multiply(weights.gate_up, hidden_input_, std::array{memory_.gate, memory_.up}, false);
  prepare_and_pack(weights.down, mlp_input_, memory_.gate, [&](std::int64_t row) {
    float* const gate = memory_.gate + row * inner;
    swiglu_({gate, memory_.up + row * inner, gate, inner});
  });
  multiply(weights.down, mlp_input_, std::array{hidden}, true);
}

/// Calls prepare(row) for every row of x and packs x for the projection, row blocks at a time.
template <class Prepare>
void Forward::prepare_and_pack(const Projection& projection, const PackedInput& input,
                               const float* x, const Prepare& prepare) {
  bool prepared = false;
  for (const auto precision : projection.precisions) {
    const auto& packed = input[static_cast<std::size_t>(precision)];
    for (auto i = team_.next_chunk(packed.num_blocks()); i >= 0;
         i = team_.next_chunk(packed.num_blocks())) {
      const auto block = packed.block(i);
      for (std::int64_t row = 0; !prepared && row < std::int64_t{1} << block.size_log2; ++row)
        prepare(block.first_row + row);
      packed.pack_block(x, packed.k(), i);
    }
    team_.barrier();
    prepared = true;
  }
}

/// outputs[i] = or += input * matrices[i]^T.
void Forward::multiply(const Projection& projection, const PackedInput& input,
                       std::span<float* const> outputs, bool accumulate) {
  for (const auto precision : projection.precisions) {
    std::array<kernels::MatmulOutput, 3> products;
    std::size_t count = 0;
    for (std::size_t i = 0; i < projection.matrices.size(); ++i) {
      const auto& matrix = projection.matrices[i];
      if (kernels::precision_for(matrix.format(), projection.wanted) == precision)
        products[count++] = {&matrix, outputs[i], matrix.n(), accumulate};
    }
    kernels::matmul(team_, input[static_cast<std::size_t>(precision)],
                    std::span(products).first(count));
    team_.barrier();
  }
}

void Forward::normalize(std::int64_t row, const float* input, const std::vector<float>& weight,
                        float* output, std::int32_t stage) {
  if (!rms_norm_({input, weight.data(), output, spec_.model.hidden_size, epsilon_}))
    mark_failed(row, stage);
}

/// Turns a row's queries and keys to their position and stores its key and value.
void Forward::place(std::int64_t row, std::int64_t layer) {
  const auto& sizes = spec_.model;
  const auto& step_row = layout_.rows()[static_cast<std::size_t>(row)];
  const auto& segment = plan_->segments[step_row.segment];
  const auto pairs = static_cast<std::int64_t>(frequencies_.size());
  const auto kv_size = sizes.num_kv_heads * sizes.head_dim;
  float* const keys = memory_.keys + row * kv_size;
  kernels::RopeHeads heads{memory_.queries + row * sizes.num_attention_heads * sizes.head_dim,
                           memory_.cosines + row * pairs,
                           memory_.sines + row * pairs,
                           static_cast<std::int32_t>(sizes.num_attention_heads),
                           static_cast<std::int32_t>(sizes.head_dim),
                           static_cast<std::int32_t>(sizes.rope.dims),
                           spec_.rope_pairs == model::RopePairs::adjacent
                               ? kernels::RopeLayout::adjacent
                               : kernels::RopeLayout::halves};
  kernels::rope(heads);
  if (turns_keys_) kernels::hadamard(heads.heads, heads.num_heads, heads.head_dim);
  heads.heads = keys;
  heads.num_heads = static_cast<std::int32_t>(sizes.num_kv_heads);
  kernels::rope(heads);
  if (turns_keys_) kernels::hadamard(heads.heads, heads.num_heads, heads.head_dim);
  const auto block = plan_->block_ids[segment.block_offset +
                                      static_cast<std::uint64_t>(block_index(step_row.position))];
  attention_.write({keys, memory_.values + row * kv_size,
                    pool_.layer(layer) + block.value * pool_.layout().block_bytes(),
                    block_offset(step_row.position), pool_.layout()});
}

kernels::AttentionRows Forward::attention_rows(const AttentionUnit& unit, std::int64_t layer,
                                               int worker) {
  const auto& sizes = spec_.model;
  const auto stride = sizes.num_attention_heads * sizes.head_dim;
  float* const queries = memory_.queries + unit.first_row * stride;
  kernels::AttentionRows rows{};
  rows.queries = rows.output = queries;
  rows.query_stride = rows.output_stride = stride;
  rows.num_rows = unit.num_rows;
  rows.first_position = layout_.rows()[unit.first_row].position;
  rows.num_heads = static_cast<std::int32_t>(sizes.num_attention_heads);
  rows.kv_head = unit.kv_head;
  rows.pool = pool_.layer(layer);
  rows.table = plan_->block_ids.data() + plan_->segments[unit.segment].block_offset;
  rows.layout = pool_.layout();
  rows.scale = scale_;
  rows.window = static_cast<std::int32_t>(sizes.sliding_window);
  rows.scratch = memory_.scratch + worker * memory_.scratch_floats;
  return rows;
}

void Forward::attention(std::int64_t layer, int worker) {
  const auto num_items = static_cast<std::int64_t>(layout_.items().size());
  for (auto i = team_.next_chunk(num_items); i >= 0; i = team_.next_chunk(num_items)) {
    const auto& item = layout_.items()[static_cast<std::size_t>(i)];
    const auto& unit = layout_.units()[item.unit];
    const auto rows = attention_rows(unit, layer, worker);
    if (item.chunk < 0)
      attention_.attend(rows);
    else
      attention_.attend_chunk(rows, item.chunk, unit.num_chunks,
                              memory_.partials + unit.partials_offset);
  }
  team_.barrier();
  if (!layout_.shares_chunks()) return;
  const auto num_units = static_cast<std::int64_t>(layout_.units().size());
  for (auto i = team_.next_chunk(num_units); i >= 0; i = team_.next_chunk(num_units)) {
    const auto& unit = layout_.units()[static_cast<std::size_t>(i)];
    if (unit.partials_offset >= 0)
      attention_.combine(attention_rows(unit, layer, worker), unit.num_chunks,
                         memory_.partials + unit.partials_offset);
  }
  team_.barrier();
}

void Forward::logits() {
  const auto width = spec_.model.hidden_size;
  const auto stage = static_cast<std::int32_t>(2 * spec_.model.num_layers);
  prepare_and_pack(weights_.head, head_input_, memory_.normed, [&](std::int64_t i) {
    const auto row = layout_.logits_rows()[static_cast<std::size_t>(i)];
    normalize(row, memory_.hidden + row * width, weights_.final_norm, memory_.normed + i * width,
              stage);
  });
  multiply(weights_.head, head_input_, std::array{memory_.logits}, false);
}

void Forward::check_logits() {
  constexpr std::int64_t kPiece = 8192;
  const auto vocab_size = spec_.model.vocab_size;
  const auto pieces = (vocab_size + kPiece - 1) / kPiece;
  const auto total = pieces * plan_->num_rows;
  for (auto i = team_.next_chunk(total); i >= 0; i = team_.next_chunk(total)) {
    const auto row = i / pieces, first = i % pieces * kPiece;
    if (!all_finite(memory_.logits + row * vocab_size + first,
                    std::min(kPiece, vocab_size - first)))
      mark_failed(layout_.logits_rows()[static_cast<std::size_t>(row)],
                  static_cast<std::int32_t>(2 * spec_.model.num_layers + 1));
  }
}

/// Keeps the earliest stage; pieces of one row of logits may be marked by several workers at once.
void Forward::mark_failed(std::int64_t row, std::int32_t stage) {
  std::int32_t none = -1;
  std::atomic_ref(failed_stage_[static_cast<std::size_t>(row)])
      .compare_exchange_strong(none, stage);
}

std::string Forward::stage_name(std::int32_t stage) const {
  const auto layer = stage / 2;
  if (stage == 0) return "the embedding";
  if (stage == 2 * spec_.model.num_layers + 1) return "the logits";
  if (stage % 2 == 1) return "the attention of layer " + std::to_string(layer);
  return "the MLP of layer " + std::to_string(layer - 1);
}

void Forward::report_failures(StepResult& result) const {
  for (std::size_t row = 0; row < failed_stage_.size(); ++row) {
    if (failed_stage_[row] < 0) continue;
    const auto& step_row = layout_.rows()[row];
    const auto sequence = plan_->segments[step_row.segment].sequence;
    if (!result.failed.empty() && result.failed.back().first == sequence) continue;
    result.failed.emplace_back(
        sequence, Error(ErrorCode::internal, stage_name(failed_stage_[row]) + " at position " +
                                                 std::to_string(step_row.position) +
                                                 ": not finite; the sequence cannot go on"));
  }
}

}  // namespace troupe::transformer
