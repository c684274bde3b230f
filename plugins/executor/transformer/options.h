#pragma once
#include "kernels/paged_attention/kv_block.h"
#include "plugins/executor/transformer/activations.h"
#include "troupe/api/params.h"
#include "troupe/api/result.h"

#include <cstdint>
#include <string>

namespace troupe::transformer {

/// The executor's own parameters.
struct Options {
  std::string model = "default";
  std::int32_t threads = 0;  // 0 = one per core this process may use
  std::int32_t max_batch_tokens = 0;
  std::int64_t kv_blocks = 0;  // 0 = what kv_bytes has room for
  std::int64_t kv_bytes = 0;
  std::int64_t swap_bytes = 0;       // of the host tier; 0 = none
  std::int64_t swap_file_bytes = 0;  // of the file tier; 0 = none
  std::string swap_dir = "/var/tmp";
};

/// What the model's table in the pipeline says of how it is run.
struct ModelOptions {
  Activations activations = Activations::int8x2;
  kernels::KvPrecision kv_precision = kernels::KvPrecision::bf16;
  std::int64_t context = 0;  // positions; 0 = those the model was trained for
};

/// The parameters that the descriptor declares.
inline constexpr ParamSpec kOptionSpecs[] = {
    {"model", ParamType::text, "\"default\"", "The [model.NAME] table of the model to run."},
    {"device", ParamType::text, "\"cpu\"", "Where the model runs. This build has \"cpu\"."},
    {"threads", ParamType::integer, "0",
     "Threads that compute. 0 = one for each core this process may use (affinity and cgroup limits "
     "counted).",
     "threads", 0, 1024},
    {"tp_size", ParamType::integer, "1", "Shards the model is split into. This build has 1.",
     "shards", 1, 1024},
    {"max_batch_tokens", ParamType::integer, "512", "Tokens one step may have, over all sequences.",
     "tokens", 1, 65536},
    {"kv_blocks", ParamType::integer, "0",
     "Blocks of 16 tokens in the KV cache. 0 = as many as kv_bytes has room for, but no more than "
     "64 "
     "sequences of full length need.",
     "blocks", 0, 1 << 30},
    {"kv_bytes", ParamType::integer, "1073741824",
     "Memory for the KV cache when kv_blocks is 0. It is taken from the system as blocks are first "
     "used.",
     "bytes", 1, 1e15},
    {"swap_bytes", ParamType::integer, "268435456",
     "Memory for KV blocks of sequences that had to make room, so that they need not be computed "
     "again. It is taken as it is used, and never more than 64 sequences of full length need. 0 = "
     "none.",
     "bytes", 0, 1e15},
    {"swap_file_bytes", ParamType::integer, "0",
     "Room in a file for more of these blocks, used when swap_bytes is full. 0 = no file.", "bytes",
     0, 1e15},
    {"swap_dir", ParamType::text, "\"/var/tmp\"",
     "Folder of that file, on a disk rather than in memory. The file has no name, only this user "
     "can read it, and it is gone when the process is."},
};

/// Pre: `params` are checked against kOptionSpecs.
/// Errors: unsupported (a device or tp_size that this build has not).
Result<Options> read_options(const Params& params);

/// Keys that a table lacks have the values of ModelOptions.
/// Errors: invalid_argument, naming the key, its value and those allowed.
Result<ModelOptions> read_model_options(const Params& params);

/// Positions a sequence may have.
/// Errors: invalid_argument when more are asked for than the model was trained for; names both
/// numbers.
Result<std::int32_t> context_length(const ModelOptions& options, std::int64_t trained_for);

}  // namespace troupe::transformer
