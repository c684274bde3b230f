#pragma once
#include "kernels/matmul/huge_buffer.h"
#include "kernels/matmul/weight_format.h"
#include "kernels/paged_attention/kv_block.h"
#include "troupe/api/result.h"
#include "troupe/model/transformer_spec.h"

#include <array>
#include <cstdint>

namespace troupe::transformer {

/// The buffers of a forward pass, for `rows` rows: float32, rows one after the other. The system
/// gives them memory when they are first written, so the logits of rows that never want any cost
/// nothing.
struct Workspace {
  float* hidden = nullptr;   // [rows, hidden_size]
  float* normed = nullptr;   // [rows, hidden_size]
  float* queries = nullptr;  // [rows, num_attention_heads * head_dim]; then the output of attention
  float* keys = nullptr;     // [rows, num_kv_heads * head_dim]
  float* values = nullptr;   // [rows, num_kv_heads * head_dim]
  float* gate = nullptr;     // [rows, intermediate_size]; then the input of the down projection
  float* up = nullptr;       // [rows, intermediate_size]
  float* cosines = nullptr;  // [rows, rope.dims / 2]
  float* sines = nullptr;    // [rows, rope.dims / 2]
  float* logits = nullptr;   // [rows, vocab_size]
  float* scratch = nullptr;  // [threads, attention_scratch_floats]
  std::int64_t scratch_floats = 0;
  float* partials = nullptr;  // [partials_capacity]
  std::int64_t partials_capacity = 0;
  std::array<std::byte*, kernels::kPrecisions> packed{};  // activations of the widest projection

  /// Errors: resource_exhausted.
  static Result<Workspace> allocate(const model::ModelSpec& spec,
                                    const kernels::KvBlockLayout& layout, std::int64_t rows,
                                    std::int64_t threads);

 private:
  kernels::HugeBuffer buffer_;
};

}  // namespace troupe::transformer
