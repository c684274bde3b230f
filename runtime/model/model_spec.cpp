#include "troupe/model/model_spec.h"

#include "troupe/model/key_reader.h"
#include "troupe/model/quote.h"
#include "troupe/model/rope_spec.h"
#include "troupe/model/tensor_names.h"

#include <string>
#include <utility>

namespace troupe::model {
namespace {

// Far above every real model, and low enough that the product of any two is exact in 64 bits.
constexpr std::int64_t kMaxSize = std::int64_t{1} << 30;

tl::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

std::string numbers(std::string_view a, std::int64_t a_value, std::string_view b,
                    std::int64_t b_value) {
  return std::string(a) + " = " + std::to_string(a_value) + ", " + std::string(b) + " = " +
         std::to_string(b_value);
}

Result<void> read_head_dim(KeyReader& keys, ModelSpec& spec) {
  const KeyReader::IntRange size{.least = 1, .most = kMaxSize};
  std::int64_t value_length = 0;
  keys.optional("attention.key_length", size, spec.head_dim);
  keys.optional("attention.value_length", size, value_length);
  if (keys.error()) return fail(*keys.error());
  if (spec.head_dim == 0) {
    if (spec.hidden_size % spec.num_attention_heads != 0)
      return invalid(numbers("embedding_length", spec.hidden_size, "attention.head_count",
                             spec.num_attention_heads) +
                     ": expected a multiple, or the key attention.key_length");
    spec.head_dim = spec.hidden_size / spec.num_attention_heads;
  }
  if (value_length != 0 && value_length != spec.head_dim)
    return fail(ErrorCode::unsupported, numbers("attention.key_length", spec.head_dim,
                                                "attention.value_length", value_length) +
                                            ": heads whose values have another length are not run");
  if (spec.head_dim > kMaxSize / spec.num_attention_heads)
    return invalid(numbers("attention.key_length", spec.head_dim, "attention.head_count",
                           spec.num_attention_heads) +
                   ": too large");
  return {};
}

Result<void> read_sizes(KeyReader& keys, ModelSpec& spec) {
  const KeyReader::IntRange size{.least = 1, .most = kMaxSize};
  keys.required("context_length", size, spec.context_length);
  keys.required("embedding_length", size, spec.hidden_size);
  keys.required("block_count", size, spec.num_layers);
  keys.required("feed_forward_length", size, spec.intermediate_size);
  keys.required("attention.head_count", size, spec.num_attention_heads);
  spec.num_kv_heads = spec.num_attention_heads;
  keys.optional("attention.head_count_kv", size, spec.num_kv_heads);
  keys.optional("attention.sliding_window", {.least = 0, .most = kMaxSize}, spec.sliding_window);
  keys.required("attention.layer_norm_rms_epsilon", {.above = 0, .most = 1}, spec.rms_norm_eps);
  if (keys.error()) return fail(*keys.error());
  if (spec.num_attention_heads % spec.num_kv_heads != 0)
    return invalid(numbers("attention.head_count", spec.num_attention_heads,
                           "attention.head_count_kv", spec.num_kv_heads) +
                   ": expected a multiple");
  return read_head_dim(keys, spec);
}

/// vocab_size from the embedding's rows, checked against the tokenizer and the key vocab_size.
Result<void> read_vocabulary(const ModelFile& file, KeyReader& keys, ModelSpec& spec) {
  const auto* embedding = file.tensor(kTokenEmbedding);
  if (embedding == nullptr)
    return fail(ErrorCode::not_found, "the file has no tensor " + quote(kTokenEmbedding));
  spec.vocab_size = embedding->shape.front();
  const auto tokens = file.find_strings("tokenizer.ggml.tokens");
  if (!tokens) return fail(tokens.error());
  spec.num_tokens = static_cast<std::int64_t>(tokens->size());
  std::int64_t stated = spec.vocab_size;
  keys.optional("vocab_size", {.least = 1, .most = kMaxSize}, stated);
  if (keys.error()) return fail(*keys.error());
  if (spec.num_tokens > spec.vocab_size)
    return invalid("tokenizer.ggml.tokens has " + std::to_string(spec.num_tokens) +
                   " tokens, but tensor " + quote(kTokenEmbedding) + " only " +
                   std::to_string(spec.vocab_size) + " rows");
  if (stated != spec.vocab_size && stated != spec.num_tokens)
    return invalid(numbers("vocab_size", stated, "rows of token_embd.weight", spec.vocab_size) +
                   ": expected the same");
  return {};
}

/// A large model may come in several files, of which each has a part of the tensors.
Result<void> refuse_part(const ModelFile& file) {
  const auto parts = file.find_int("split.count");
  if (!parts) return fail(parts.error());
  if (parts->value_or(1) <= 1) return {};
  return fail(ErrorCode::unsupported, "this is one of " + std::to_string(**parts) +
                                          " parts of a model (key split.count); join them into one "
                                          "file first, as llama-gguf-split --merge does");
}

void count_weights(const ModelFile& file, ModelSpec& spec) {
  for (const auto& tensor : file.tensors()) {
    std::int64_t elements = 1;
    for (const auto dimension : tensor.shape)
      elements *= dimension;
    spec.num_parameters += elements;
    spec.weight_bytes += static_cast<std::int64_t>(tensor.data.size());
  }
}

Result<ModelSpec> read_spec_of(const ModelFile& file, std::string_view architecture) {
  ModelSpec spec;
  spec.architecture = architecture;
  KeyReader keys(file, architecture);
  if (auto sizes = read_sizes(keys, spec); !sizes) return fail(sizes.error());
  // Callers list the tensors of every layer: a damaged count must not make that list huge.
  if (static_cast<std::size_t>(spec.num_layers) > file.tensors().size())
    return invalid("block_count = " + std::to_string(spec.num_layers) + ", but the file has only " +
                   std::to_string(file.tensors().size()) + " tensors");
  auto rope = read_rope_spec(file, keys, spec.head_dim);
  if (!rope) return fail(rope.error());
  spec.rope = std::move(*rope);
  if (auto vocabulary = read_vocabulary(file, keys, spec); !vocabulary)
    return fail(vocabulary.error());
  spec.tied_embeddings = file.tensor(kOutputHead) == nullptr;
  spec.unread_keys = keys.unread();
  count_weights(file, spec);
  return spec;
}

}  // namespace

Result<ModelSpec> read_model_spec(const ModelFile& file) {
  if (auto whole = refuse_part(file); !whole) return fail(whole.error());
  const auto architecture = file.get_string("general.architecture");
  if (!architecture) return fail(architecture.error());
  auto spec = read_spec_of(file, *architecture);
  if (!spec) return spec;
  const auto name = file.find_string("general.name");
  if (!name) return fail(name.error());
  spec->name = name->value_or("");
  return spec;
}

double kv_bytes_per_token(const ModelSpec& spec, double bytes_per_value, double bytes_per_scale) {
  return 2.0 * static_cast<double>(spec.num_layers * spec.num_kv_heads) *
         (static_cast<double>(spec.head_dim) * bytes_per_value + bytes_per_scale);
}

}  // namespace troupe::model
