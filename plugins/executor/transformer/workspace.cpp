#include "plugins/executor/transformer/workspace.h"

#include "kernels/matmul/packed_activations.h"
#include "kernels/paged_attention/paged_attention.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace troupe::transformer {
namespace {

constexpr std::int64_t kAlignment = 64;
constexpr std::int64_t kPartialsFloats = std::int64_t{1} << 22;

/// Pieces of one buffer that is allocated when all are known.
class Arena {
 public:
  void floats(float*& place, std::int64_t count) {
    add(reinterpret_cast<std::byte**>(&place), count * 4);
  }
  void bytes(std::byte*& place, std::int64_t count) { add(&place, count); }

  Result<kernels::HugeBuffer> allocate() const {
    auto buffer = kernels::HugeBuffer::allocate(static_cast<std::size_t>(size_));
    if (!buffer) return fail_at("workspace", buffer.error());
    for (const auto& [place, offset] : pieces_)
      *place = buffer->data() + offset;
    return buffer;
  }

 private:
  void add(std::byte** place, std::int64_t count) {
    pieces_.emplace_back(place, size_);
    size_ += (count + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::vector<std::pair<std::byte**, std::int64_t>> pieces_;
  std::int64_t size_ = 0;
};

}  // namespace

Result<Workspace> Workspace::allocate(const model::ModelSpec& spec,
                                      const kernels::KvBlockLayout& layout, std::int64_t rows,
                                      std::int64_t threads) {
  Workspace work;
  Arena arena;
  const auto q_size = spec.num_attention_heads * spec.head_dim;
  const auto kv_size = spec.num_kv_heads * spec.head_dim;
  work.scratch_floats = kernels::attention_scratch_floats(layout);
  work.partials_capacity = kPartialsFloats;
  arena.floats(work.hidden, rows * spec.hidden_size);
  arena.floats(work.normed, rows * spec.hidden_size);
  arena.floats(work.queries, rows * q_size);
  arena.floats(work.keys, rows * kv_size);
  arena.floats(work.values, rows * kv_size);
  arena.floats(work.gate, rows * spec.intermediate_size);
  arena.floats(work.up, rows * spec.intermediate_size);
  arena.floats(work.cosines, rows * spec.rope.dims / 2);
  arena.floats(work.sines, rows * spec.rope.dims / 2);
  arena.floats(work.scratch, threads * work.scratch_floats);
  const auto widest = std::max({spec.hidden_size, q_size, spec.intermediate_size});
  for (int i = 0; i < kernels::kPrecisions; ++i)
    arena.bytes(work.packed[static_cast<std::size_t>(i)],
                static_cast<std::int64_t>(kernels::PackedActivations::bytes(
                    static_cast<kernels::Precision>(i), rows, widest)));
  arena.floats(work.partials, work.partials_capacity);
  arena.floats(work.logits, rows * spec.vocab_size);
  auto buffer = arena.allocate();
  if (!buffer) return fail(buffer.error());
  work.buffer_ = std::move(*buffer);
  return work;
}

}  // namespace troupe::transformer
