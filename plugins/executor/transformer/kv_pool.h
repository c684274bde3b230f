#pragma once
#include "kernels/matmul/huge_buffer.h"
#include "kernels/paged_attention/kv_block.h"
#include "plugins/executor/transformer/options.h"
#include "troupe/api/blocks.h"
#include "troupe/api/result.h"
#include "troupe/model/model_spec.h"

#include <cstdint>

namespace troupe::transformer {

/// The keys and values of all layers: [num_layers][num_blocks][layout.block_bytes()].
class KvPool {
 public:
  /// Reserves the pool; the system gives it memory as blocks are first written. How many blocks:
  /// Options::kv_blocks, or what kv_bytes has room for, up to 64 sequences of `context` tokens.
  /// Errors: resource_exhausted (kv_bytes has no room for one block, or the system none for the
  /// pool).
  static Result<KvPool> allocate(const Options& options, kernels::KvPrecision precision,
                                 const model::ModelSpec& spec, std::int32_t context);

  std::int64_t num_blocks() const { return num_blocks_; }
  std::int64_t bytes_per_token() const { return num_layers_ * layout_.block_bytes() / kBlockSize; }
  const kernels::KvBlockLayout& layout() const { return layout_; }

  /// The blocks of one layer, layout().block_bytes() each.
  std::byte* layer(std::int64_t index) { return buffer_.data() + index * layer_bytes(); }

  /// Copies a block in every layer. Pre: both blocks are in the pool and differ.
  void copy(const BlockCopy& copy);

 private:
  std::int64_t layer_bytes() const { return num_blocks_ * layout_.block_bytes(); }

  kernels::KvBlockLayout layout_;
  std::int64_t num_layers_ = 0;
  std::int64_t num_blocks_ = 0;
  kernels::HugeBuffer buffer_;
};

}  // namespace troupe::transformer
