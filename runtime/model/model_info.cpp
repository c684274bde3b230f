#include "troupe/model/model_info.h"

#include "troupe/model/vocabulary.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace troupe::model {
namespace {

std::vector<WeightUse> count_weights(const ModelFile& file) {
  std::vector<WeightUse> uses;
  for (const auto& tensor : file.tensors()) {
    auto use = std::ranges::find(uses, tensor.type, &WeightUse::type);
    if (use == uses.end()) use = uses.insert(uses.end(), {.type = tensor.type});
    std::int64_t elements = 1;
    for (const auto dimension : tensor.shape)
      elements *= dimension;
    ++use->num_tensors;
    use->num_parameters += elements;
    use->bytes += static_cast<std::int64_t>(tensor.data.size());
  }
  std::ranges::stable_sort(uses, std::greater<>(), &WeightUse::bytes);
  return uses;
}

NamedToken named(const Vocabulary& vocabulary, std::string role, TokenId id) {
  return {std::move(role), id, std::string(vocabulary.text(id))};
}

void add_named_tokens(const Vocabulary& vocabulary, TokenizerInfo& info) {
  const auto& special = vocabulary.special();
  const std::array<std::pair<const char*, std::optional<TokenId>>, 6> roles = {{
      {"bos", special.bos},
      {"eos", special.eos},
      {"end_of_turn", special.end_of_turn},
      {"end_of_message", special.end_of_message},
      {"unknown", special.unknown},
      {"padding", special.padding},
  }};
  for (const auto& [role, id] : roles)
    if (id) info.special_tokens.push_back(named(vocabulary, role, *id));
  for (const auto id : vocabulary.end_of_generation())
    info.end_of_generation.push_back(named(vocabulary, "end", id));
}

/// Reads the keys into `info`; an Error says why the tokenizer cannot be used.
Result<void> read_tokenizer(const ModelFile& file, TokenizerInfo& info) {
  const auto pre_tokenizer = file.find_string("tokenizer.ggml.pre");
  if (!pre_tokenizer) return fail(pre_tokenizer.error());
  info.pre_tokenizer = pre_tokenizer->value_or("");
  const auto add_bos = file.find_bool("tokenizer.ggml.add_bos_token");
  if (!add_bos) return fail(add_bos.error());
  info.add_bos = *add_bos;
  const auto add_eos = file.find_bool("tokenizer.ggml.add_eos_token");
  if (!add_eos) return fail(add_eos.error());
  info.add_eos = *add_eos;
  const auto vocabulary = Vocabulary::read(file);
  if (!vocabulary) return fail(vocabulary.error());
  add_named_tokens(**vocabulary, info);
  return {};
}

Result<std::optional<TokenizerInfo>> find_tokenizer(const ModelFile& file, const ModelSpec& spec) {
  const auto model = file.find_string("tokenizer.ggml.model");
  if (!model) return fail(model.error());
  if (!*model) return std::nullopt;
  TokenizerInfo info;
  info.model = **model;
  info.num_tokens = spec.num_tokens;
  if (const auto read = read_tokenizer(file, info); !read) info.problem = read.error().message();
  return info;
}

}  // namespace

Result<ModelInfo> read_model_info(const ModelFile& file, RunPrecision precision) {
  auto spec = read_model_spec(file);
  if (!spec) return fail_at(file.path().string(), spec.error());
  ModelInfo info;
  info.path = file.path().string();
  info.spec = std::move(*spec);
  info.precision = std::move(precision);
  info.weights = count_weights(file);
  info.bits_per_weight = 8.0 * static_cast<double>(info.spec.weight_bytes) /
                         static_cast<double>(info.spec.num_parameters);
  auto tokenizer = find_tokenizer(file, info.spec);
  if (!tokenizer) return fail_at(info.path, tokenizer.error());
  info.tokenizer = std::move(*tokenizer);
  const auto chat_template = file.find_string("tokenizer.chat_template");
  if (!chat_template) return fail_at(info.path, chat_template.error());
  if (*chat_template) info.chat_template = std::string(**chat_template);
  return info;
}

}  // namespace troupe::model
