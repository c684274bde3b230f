#include "plugins/executor/transformer/options.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

namespace troupe::transformer {
namespace {

/// The value of a key that may be absent or null.
const Value* find(const Params& params, std::string_view name) {
  for (const auto& [key, value] : params.values())
    if (key == name && !value.is_null()) return &value;
  return nullptr;
}

/// The choice among `count` values whose name stands at `key`; an absent or empty one leaves it.
template <class Choice>
Result<void> read_choice(const Params& params, std::string_view key, int count, Choice& choice) {
  const Value* value = find(params, key);
  if (!value || (value->is_string() && value->as_string().empty())) return {};
  std::string names;
  for (int i = 0; i < count; ++i) {
    const auto candidate = static_cast<Choice>(i);
    if (value->is_string() && value->as_string() == to_string(candidate)) {
      choice = candidate;
      return {};
    }
    names += (i ? ", " : "") + std::string(to_string(candidate));
  }
  const auto found = value->is_string() ? "'" + value->as_string() + "'"
                                        : "a value of type " + std::string(value->type_name());
  return fail(ErrorCode::invalid_argument,
              std::string(key) + ": found " + found + ", expected one of " + names);
}

}  // namespace

Result<Options> read_options(const Params& params) {
  if (params.get_text("device") != "cpu")
    return fail(ErrorCode::unsupported,
                "device: found '" + params.get_text("device") +
                    "'; this build of the transformer executor runs on 'cpu' only");
  if (params.get_int("tp_size") != 1)
    return fail(ErrorCode::unsupported, "tp_size: found " +
                                            std::to_string(params.get_int("tp_size")) +
                                            "; this build does not split a model, use 1");
  Options options;
  options.model = params.get_text("model");
  options.threads = static_cast<std::int32_t>(params.get_int("threads"));
  options.max_batch_tokens = static_cast<std::int32_t>(params.get_int("max_batch_tokens"));
  options.kv_blocks = params.get_int("kv_blocks");
  options.kv_bytes = params.get_int("kv_bytes");
  options.swap_bytes = params.get_int("swap_bytes");
  options.swap_file_bytes = params.get_int("swap_file_bytes");
  options.swap_dir = params.get_text("swap_dir");
  return options;
}

Result<ModelOptions> read_model_options(const Params& params) {
  ModelOptions options;
  if (auto read = read_choice(params, "activations", kActivations, options.activations); !read)
    return fail(read.error());
  if (auto read = read_choice(params, "kv_precision", kernels::kKvPrecisions, options.kv_precision);
      !read)
    return fail(read.error());
  if (const Value* context = find(params, "context")) {
    if (!context->is_int() || context->as_int() < 0)
      return fail(
          ErrorCode::invalid_argument,
          "context: expected a number of tokens, or 0 for all that the model was trained for");
    options.context = context->as_int();
  }
  return options;
}

Result<std::int32_t> context_length(const ModelOptions& options, std::int64_t trained_for) {
  if (options.context > trained_for)
    return fail(ErrorCode::invalid_argument,
                "context: asked for " + std::to_string(options.context) +
                    " tokens, but the model was trained for " + std::to_string(trained_for) +
                    "; ask for that many or fewer");
  const auto length = options.context ? options.context : trained_for;
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(length, std::numeric_limits<std::int32_t>::max() - kBlockSize));
}

}  // namespace troupe::transformer
