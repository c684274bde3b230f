#pragma once
#include "kernels/matmul/huge_buffer.h"
#include "kernels/paged_attention/kv_block.h"
#include "plugins/executor/transformer/options.h"
#include "troupe/api/blocks.h"
#include "troupe/api/result.h"
#include "troupe/model/model_spec.h"

#include <cstdint>

namespace troupe::transformer {

/// More blocks than 64 sequences of `context` tokens need are not worth their bookkeeping.
std::int64_t most_useful_blocks(std::int32_t context);

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
  /// Bytes of one block in all layers.
  std::int64_t block_bytes() const { return num_layers_ * layout_.block_bytes(); }
  std::int64_t bytes_per_token() const { return block_bytes() / kBlockSize; }
  const kernels::KvBlockLayout& layout() const { return layout_; }

  /// The blocks of one layer, layout().block_bytes() each.
  std::byte* layer(std::int64_t index) { return buffer_.data() + index * layer_bytes(); }

  /// Copies a block in every layer. Pre: both blocks are in the pool and differ.
  void copy(const BlockCopy& copy);

  /// Copies a block to block_bytes() bytes of memory, one layer after the other, and back. Pre: the
  /// block is in the pool.
  void read_block(BlockId block, std::byte* to);
  void write_block(BlockId block, const std::byte* from);

 private:
  std::int64_t layer_bytes() const { return num_blocks_ * layout_.block_bytes(); }

  kernels::KvBlockLayout layout_;
  std::int64_t num_layers_ = 0;
  std::int64_t num_blocks_ = 0;
  kernels::HugeBuffer buffer_;
};

}  // namespace troupe::transformer
