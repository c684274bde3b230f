#include "plugins/executor/transformer/kv_pool.h"

#include "troupe/core/block_math.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace troupe::transformer {
namespace {

constexpr std::int64_t kMostSequences = 64;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 46;

Result<std::int64_t> choose_blocks(const Options& options, std::int64_t block_bytes,
                                   std::int32_t context) {
  const auto wanted = options.kv_blocks
                          ? options.kv_blocks
                          : std::min(options.kv_bytes / block_bytes, most_useful_blocks(context));
  if (wanted == 0)
    return fail(ErrorCode::resource_exhausted, "kv_bytes: " + std::to_string(options.kv_bytes) +
                                                   " bytes have no room for one block of " +
                                                   std::to_string(block_bytes) +
                                                   " bytes; allow more");
  if (wanted > kMostBytes / block_bytes)
    return fail(ErrorCode::resource_exhausted,
                "kv_blocks: " + std::to_string(wanted) + " blocks of " +
                    std::to_string(block_bytes) +
                    " bytes are more memory than a process can address");
  return wanted;
}

}  // namespace

std::int64_t most_useful_blocks(std::int32_t context) {
  return kMostSequences * blocks_for(context);
}

Result<KvPool> KvPool::allocate(const Options& options, kernels::KvPrecision precision,
                                const model::ModelSpec& spec, std::int32_t context) {
  KvPool pool;
  pool.layout_ = {static_cast<std::int32_t>(spec.num_kv_heads),
                  static_cast<std::int32_t>(spec.head_dim), precision};
  pool.num_layers_ = spec.num_layers;
  const auto blocks = choose_blocks(options, pool.block_bytes(), context);
  if (!blocks) return fail(blocks.error());
  pool.num_blocks_ = *blocks;
  auto buffer = kernels::HugeBuffer::allocate(
      static_cast<std::size_t>(pool.num_layers_ * pool.layer_bytes()));
  if (!buffer) return fail_at("KV cache", buffer.error());
  pool.buffer_ = std::move(*buffer);
  return pool;
}

void KvPool::copy(const BlockCopy& copy) {
  const auto bytes = layout_.block_bytes();
  for (std::int64_t i = 0; i < num_layers_; ++i)
    std::memcpy(layer(i) + copy.to.value * bytes, layer(i) + copy.from.value * bytes,
                static_cast<std::size_t>(bytes));
}

void KvPool::read_block(BlockId block, std::byte* to) {
  const auto bytes = layout_.block_bytes();
  for (std::int64_t i = 0; i < num_layers_; ++i)
    std::memcpy(to + i * bytes, layer(i) + block.value * bytes, static_cast<std::size_t>(bytes));
}

void KvPool::write_block(BlockId block, const std::byte* from) {
  const auto bytes = layout_.block_bytes();
  for (std::int64_t i = 0; i < num_layers_; ++i)
    std::memcpy(layer(i) + block.value * bytes, from + i * bytes, static_cast<std::size_t>(bytes));
}

}  // namespace troupe::transformer
