#include "troupe/model/model_info.h"
#include "troupe/model/number_text.h"
#include "troupe/model/quote.h"

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace troupe::model {
namespace {

/// `value` with `decimals` digits after the point.
std::string fixed(double value, int decimals) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return buffer.data();
}

/// A number scaled to the largest unit it reaches, such as "93.8 MiB".
std::string scaled(double value, double step, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  for (; value >= step && unit + 1 < units.size(); ++unit)
    value /= step;
  return fixed(value, unit == 0 ? 0 : 1) + std::string(units[unit]);
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {" B", " KiB", " MiB", " GiB", " TiB"};
  return scaled(bytes, 1024, kUnits);
}

std::string count_text(std::int64_t count) {
  constexpr std::array<std::string_view, 5> kUnits = {"", " thousand", " million", " billion",
                                                      " trillion"};
  return scaled(static_cast<double>(count), 1000, kUnits);
}

/// Lines of a name and what it is, in two columns.
class Lines {
 public:
  void add(std::string_view name, const std::string& text) {
    constexpr std::size_t kColumn = 18;
    text_ += name;
    text_ += std::string(name.size() < kColumn ? kColumn - name.size() : 1, ' ');
    text_ += text + "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string rope_text(const RopeSpec& rope) {
  auto text = "theta " + number_text(rope.theta) + ", " + std::to_string(rope.dims) + " dimensions";
  if (rope.linear_factor != 1) text += ", linear scaling by " + number_text(rope.linear_factor);
  if (!rope.divisors.empty()) text += ", scaled per frequency (Llama 3)";
  return text;
}

void add_sizes(const ModelSpec& spec, Lines& lines) {
  lines.add("parameters", count_text(spec.num_parameters));
  lines.add("layers", std::to_string(spec.num_layers));
  lines.add("hidden size",
            std::to_string(spec.hidden_size) + ", MLP " + std::to_string(spec.intermediate_size));
  lines.add("attention", std::to_string(spec.num_attention_heads) + " heads of " +
                             std::to_string(spec.head_dim) + ", " +
                             std::to_string(spec.num_kv_heads) + " KV heads");
  lines.add("rope", rope_text(spec.rope));
  lines.add("vocabulary", std::to_string(spec.vocab_size) + " tokens" +
                              (spec.tied_embeddings ? ", head tied to the embedding" : ""));
  lines.add("context", std::to_string(spec.context_length) + " tokens");
  if (spec.sliding_window > 0)
    lines.add("sliding window", std::to_string(spec.sliding_window) + " tokens in every layer");
}

void add_weights(const ModelInfo& info, Lines& lines) {
  lines.add("weights", bytes_text(static_cast<double>(info.spec.weight_bytes)) + ", " +
                           fixed(info.bits_per_weight, 2) + " bits each");
  for (const auto& use : info.weights)
    lines.add("  " + std::string(to_string(use.type)),
              bytes_text(static_cast<double>(use.bytes)) + " in " +
                  std::to_string(use.num_tensors) +
                  (use.num_tensors == 1 ? " tensor" : " tensors"));
  if (!info.precision.activations.empty()) lines.add("activations", info.precision.activations);
  if (!info.precision.kv.empty()) lines.add("KV precision", info.precision.kv);
}

void add_kv(const ModelSpec& spec, Lines& lines) {
  const auto text = [&spec](double bytes_per_value, double bytes_per_scale = 0) {
    const double token = kv_bytes_per_token(spec, bytes_per_value, bytes_per_scale);
    return bytes_text(token) + " per token, " +
           bytes_text(token * static_cast<double>(spec.context_length)) + " for the whole context";
  };
  lines.add("KV cache f32", text(4));
  lines.add("KV cache 16 bit", text(2));
  lines.add("KV cache int8", text(1, 4));
}

void add_tokenizer(const TokenizerInfo& tokenizer, Lines& lines) {
  lines.add("tokenizer",
            tokenizer.model +
                (tokenizer.pre_tokenizer.empty() ? "" : ", " + tokenizer.pre_tokenizer) + ", " +
                std::to_string(tokenizer.num_tokens) + " tokens");
  if (!tokenizer.problem.empty()) lines.add("  not usable", tokenizer.problem);
  for (const auto& token : tokenizer.special_tokens)
    lines.add("  " + token.role, std::to_string(token.id) + " " + quote(token.text));
  for (const auto& token : tokenizer.end_of_generation)
    lines.add("  ends an answer", std::to_string(token.id) + " " + quote(token.text));
  if (tokenizer.add_bos) lines.add("  adds bos", *tokenizer.add_bos ? "yes" : "no");
  if (tokenizer.add_eos) lines.add("  adds eos", *tokenizer.add_eos ? "yes" : "no");
}

}  // namespace

std::string to_text(const ModelInfo& info) {
  Lines lines;
  lines.add("file", info.path);
  if (!info.spec.name.empty()) lines.add("name", quote(info.spec.name));
  lines.add("architecture", quote(info.spec.architecture));
  add_sizes(info.spec, lines);
  add_weights(info, lines);
  add_kv(info.spec, lines);
  if (info.tokenizer) add_tokenizer(*info.tokenizer, lines);
  lines.add("chat template",
            info.chat_template ? std::to_string(info.chat_template->size()) + " bytes" : "none");
  for (const auto& key : info.spec.unread_keys)
    lines.add("not understood", quote(key));
  return lines.take();
}

}  // namespace troupe::model
