#include "troupe/model/tiny_model.h"

#include "troupe/model/gguf/gguf_writer.h"
#include "troupe/model/quantize.h"
#include "troupe/model/tensor_names.h"
#include "troupe/model/tiny/options_check.h"
#include "troupe/model/tiny/random_weights.h"
#include "troupe/model/tiny/vocabulary.h"
#include "troupe/model/weight_type.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::model {
namespace {

constexpr double kRopeTheta = 10000;
constexpr double kRopeFactor = 4;

constexpr std::string_view kChatTemplate =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] "
    "+ "
    "'<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ "
    "'<|im_start|>assistant\\n' "
    "}}{% endif %}";

class TinyModelBuilder {
 public:
  explicit TinyModelBuilder(const TinyModelOptions& options)
      : options_(options),
        vocabulary_(options.tokenizer == TinyTokenizer::byte_level_bpe
                        ? tiny::byte_level_vocabulary()
                        : tiny::sentence_piece_vocabulary()) {}

  gguf::GgufWriter build() {
    add_architecture();
    add_rope_scaling();
    add_tokenizer();
    add_embeddings();
    for (std::int64_t layer = 0; layer < options_.num_layers; ++layer)
      add_layer(layer);
    return std::move(writer_);
  }

 private:
  void add_size(std::string_view key, std::int64_t size) {
    writer_.add(key, static_cast<std::uint32_t>(size));
  }

  void add_architecture() {
    writer_.add("general.architecture", "llama");
    writer_.add("general.name", "tiny random Llama");
    add_size("llama.context_length", options_.context_length);
    add_size("llama.embedding_length", options_.hidden_size);
    add_size("llama.block_count", options_.num_layers);
    add_size("llama.feed_forward_length", options_.intermediate_size);
    add_size("llama.attention.head_count", options_.num_attention_heads);
    add_size("llama.attention.head_count_kv", options_.num_kv_heads);
    add_size("llama.attention.key_length", options_.head_dim);
    add_size("llama.attention.value_length", options_.head_dim);
    if (options_.sliding_window > 0)
      add_size("llama.attention.sliding_window", options_.sliding_window);
    writer_.add("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    add_size("llama.rope.dimension_count", options_.head_dim);
    writer_.add("llama.rope.freq_base", static_cast<float>(kRopeTheta));
    add_size("llama.vocab_size", vocab_size());
  }

  void add_rope_scaling() {
    if (options_.rope_scaling == TinyRopeScaling::linear) {
      writer_.add("llama.rope.scaling.type", "linear");
      writer_.add("llama.rope.scaling.factor", static_cast<float>(kRopeFactor));
    }
    if (options_.rope_scaling == TinyRopeScaling::llama3) {
      const auto divisors = llama3_divisors();
      add_tensor(kRopeFrequencies, WeightType::f32, {options_.head_dim / 2}, divisors);
    }
  }

  /// What a converter computes for Llama 3: short wavelengths stay, long ones are stretched by the
  /// factor, those between blend. Source: Llama 3.1's `llama3` rope type, low and high factor 1
  /// and 4.
  std::vector<float> llama3_divisors() const {
    const double original_context = static_cast<double>(options_.context_length) / 2;
    std::vector<float> divisors;
    for (std::int64_t i = 0; i < options_.head_dim; i += 2) {
      const double exponent = static_cast<double>(i) / static_cast<double>(options_.head_dim);
      const double turns =
          original_context / (2 * std::numbers::pi * std::pow(kRopeTheta, exponent));
      const double smooth = std::clamp((turns - 1) / (4 - 1), 0.0, 1.0);
      divisors.push_back(static_cast<float>(1 / ((1 - smooth) / kRopeFactor + smooth)));
    }
    return divisors;
  }

  void add_tokenizer() {
    const bool byte_level = options_.tokenizer == TinyTokenizer::byte_level_bpe;
    writer_.add("tokenizer.ggml.model", byte_level ? "gpt2" : "llama");
    writer_.add("tokenizer.ggml.pre", byte_level ? "smollm" : "default");
    writer_.add_array("tokenizer.ggml.tokens", vocabulary_.tokens);
    writer_.add_array("tokenizer.ggml.token_type", vocabulary_.types);
    if (byte_level) writer_.add_array("tokenizer.ggml.merges", vocabulary_.merges);
    if (!byte_level) writer_.add_array("tokenizer.ggml.scores", vocabulary_.scores);
    writer_.add("tokenizer.ggml.bos_token_id", vocabulary_.bos);
    writer_.add("tokenizer.ggml.eos_token_id", vocabulary_.eos);
    writer_.add("tokenizer.ggml.unknown_token_id", vocabulary_.unknown);
    writer_.add("tokenizer.ggml.eot_token_id", vocabulary_.end_of_turn);
    writer_.add("tokenizer.ggml.add_bos_token", !byte_level);
    writer_.add("tokenizer.ggml.add_space_prefix", !byte_level);
    writer_.add("tokenizer.chat_template", kChatTemplate);
  }

  std::int64_t vocab_size() const {
    return static_cast<std::int64_t>(vocabulary_.tokens.size()) + options_.padded_rows;
  }

  /// The layers add several times the embedding's own size to the residual stream: with a tied head
  /// a model whose stream is mostly the embedding would only repeat its last token.
  void add_layer(std::int64_t layer) {
    const auto hidden = options_.hidden_size;
    const auto intermediate = options_.intermediate_size;
    const auto heads = options_.num_attention_heads * options_.head_dim;
    const auto kv = options_.num_kv_heads * options_.head_dim;
    add_norm(layer_tensor(layer, "attn_norm.weight"), 1);
    add_matrix(layer_tensor(layer, "attn_q.weight"), heads, hidden, 1.5);
    add_matrix(layer_tensor(layer, "attn_k.weight"), kv, hidden, 1.5);
    add_matrix(layer_tensor(layer, "attn_v.weight"), kv, hidden, 1);
    add_matrix(layer_tensor(layer, "attn_output.weight"), hidden, heads, 8);
    add_norm(layer_tensor(layer, "ffn_norm.weight"), 1);
    add_matrix(layer_tensor(layer, "ffn_gate.weight"), intermediate, hidden, 1.5);
    add_matrix(layer_tensor(layer, "ffn_up.weight"), intermediate, hidden, 1.5);
    add_matrix(layer_tensor(layer, "ffn_down.weight"), hidden, intermediate, 5);
  }

  void add_embeddings() {
    const auto type = options_.embedding_type.value_or(options_.weight_type);
    add_tensor(kTokenEmbedding, type, {vocab_size(), options_.hidden_size},
               vocabulary_rows(kTokenEmbedding));
    // Its size sets that of the logits: a deviation near 2.5, so that sampling has a choice.
    add_norm(kOutputNorm, 20.0 / static_cast<double>(options_.hidden_size));
    if (!options_.tied_embeddings)
      add_tensor(kOutputHead, type, {vocab_size(), options_.hidden_size},
                 vocabulary_rows(kOutputHead));
  }

  /// The rows past the tokens are four times as large, so that a sampler that sees them picks them.
  std::vector<float> vocabulary_rows(std::string_view name) const {
    auto rows = tiny::random_weights(options_.seed, name, vocab_size() * options_.hidden_size, 1);
    const auto tokens = vocabulary_.tokens.size() * static_cast<std::size_t>(options_.hidden_size);
    for (std::size_t i = tokens; i < rows.size(); ++i)
      rows[i] *= 4;
    return rows;
  }

  void add_norm(std::string_view name, double mean) {
    auto values = tiny::random_weights(options_.seed, name, options_.hidden_size, 0.1 * mean);
    for (auto& value : values)
      value += static_cast<float>(mean);
    add_tensor(name, WeightType::f32, {options_.hidden_size}, values);
  }

  /// A matrix that makes unit inputs into outputs of deviation `gain`.
  void add_matrix(std::string_view name, std::int64_t rows, std::int64_t columns, double gain) {
    add_tensor(name, options_.weight_type, {rows, columns},
               tiny::random_weights(options_.seed, name, rows * columns,
                                    gain / std::sqrt(static_cast<double>(columns))));
  }

  void add_tensor(std::string_view name, WeightType type, std::vector<std::int64_t> shape,
                  const std::vector<float>& values) {
    const auto elements = static_cast<std::int64_t>(values.size());
    std::vector<std::byte> data(static_cast<std::size_t>(row_bytes(type, elements)));
    quantize_row(type, values.data(), data.data(), elements);
    writer_.add_tensor(name, type, std::move(shape), data);
  }

  const TinyModelOptions& options_;
  tiny::Vocabulary vocabulary_;
  gguf::GgufWriter writer_;
};

Result<gguf::GgufWriter> build(const TinyModelOptions& options) {
  if (auto valid = tiny::check_options(options); !valid)
    return fail_at("tiny model", valid.error());
  return TinyModelBuilder(options).build();
}

}  // namespace

TinyModelOptions tiny_model_for(WeightType type) {
  TinyModelOptions options;
  options.weight_type = type;
  if (weight_block(type).elements > 32) {
    options.hidden_size = 256;
    options.intermediate_size = 256;
    options.head_dim = 64;
  }
  return options;
}

Result<std::vector<std::byte>> tiny_model_bytes(const TinyModelOptions& options) {
  const auto writer = build(options);
  if (!writer) return fail(writer.error());
  return writer->bytes();
}

Result<void> write_tiny_model(const std::filesystem::path& path, const TinyModelOptions& options) {
  const auto writer = build(options);
  if (!writer) return fail(writer.error());
  return writer->write(path);
}

}  // namespace troupe::model
