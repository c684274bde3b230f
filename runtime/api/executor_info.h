#pragma once
#include <cstdint>
#include <string>

namespace troupe {

/// What an executor found out when it loaded its model.
struct ExecutorInfo {
  std::int32_t vocab_size = 0;
  std::int32_t context_len = 0;  // positions a sequence may have
  std::int64_t num_blocks = 0;   // KV blocks of kBlockSize tokens
  std::int64_t kv_bytes_per_token = 0;
  std::int64_t num_host_slots = 0;  // blocks that can be swapped out to host memory
  std::int64_t num_file_slots = 0;  // and to the file tier
  std::int32_t sliding_window = 0;  // positions that a token looks back in every layer; 0 = all
  std::int64_t weight_bytes = 0;
  std::int32_t max_batch_tokens = 0;  // tokens a step may have
  std::string architecture;
  std::string device;       // "cpu"
  std::string activations;  // precision of activations: "f32", "bf16", "int8", ...
  std::string kv_precision;
  std::string kernels;  // which variants were chosen
};

}  // namespace troupe
