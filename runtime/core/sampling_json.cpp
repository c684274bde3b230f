#include "troupe/core/sampling_json.h"

#include "troupe/core/sampling_limits.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace troupe {
namespace {

constexpr std::int64_t kMostInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostInt64 = std::numeric_limits<std::int64_t>::max();

/// The id that a key of logit_bias names.
std::optional<TokenId> parse_token_id(std::string_view text) {
  TokenId id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id < 0) return std::nullopt;
  return id;
}

/// A bias, or false for a token that is never to be drawn.
void read_bias(FieldReader& reader, TokenId id, const Value& bias, SamplingParams& sampling) {
  if (bias.is_bool() && !bias.as_bool()) return sampling.banned_token_ids.push_back(id);
  if (!bias.is_number() || !std::isfinite(static_cast<float>(bias.as_double())))
    return reader.refuse("logit_bias." + std::to_string(id), "a number, or false for never", bias);
  sampling.logit_bias.emplace_back(id, static_cast<float>(bias.as_double()));
}

/// An object from id to bias, or llama.cpp's array of pairs.
void read_logit_bias(FieldReader& reader, SamplingParams& sampling) {
  const auto* value = reader.any("logit_bias");
  if (!value) return;
  if (value->is_object()) {
    for (const auto& [key, bias] : value->as_object()) {
      const auto id = parse_token_id(key);
      if (!id) return reader.refuse("logit_bias", "token ids as keys", Value(key));
      read_bias(reader, *id, bias, sampling);
    }
    return;
  }
  if (!value->is_array())
    return reader.refuse("logit_bias", "an object from token id to a number", *value);
  for (const auto& pair : value->as_array()) {
    const bool good = pair.is_array() && pair.as_array().size() == 2 &&
                      pair.as_array()[0].is_int() && pair.as_array()[0].as_int() >= 0 &&
                      pair.as_array()[0].as_int() <= kMostInt32;
    if (!good) return reader.refuse("logit_bias", "pairs of a token id and a number", pair);
    read_bias(reader, static_cast<TokenId>(pair.as_array()[0].as_int()), pair.as_array()[1],
              sampling);
  }
}

/// OpenAI's two spellings, `logprobs` as a count or true with `top_logprobs`, and llama.cpp's.
void read_logprobs(FieldReader& reader, SamplingParams& sampling) {
  reader.one_name("logprobs", "n_probs");
  reader.integer("n_probs", sampling.logprobs, 0, kMaxLogprobs);
  std::int32_t top = 0;
  const bool has_top = reader.any("top_logprobs") != nullptr;
  reader.integer("top_logprobs", top, 0, kMaxLogprobs);
  const auto* value = reader.any("logprobs");
  if (value && value->is_bool()) {
    if (value->as_bool()) sampling.logprobs = top;
    if (!value->as_bool() && has_top)
      reader.refuse("top_logprobs", "no value while logprobs is false",
                    Value(static_cast<std::int64_t>(top)));
    return;
  }
  if (value) return reader.integer("logprobs", sampling.logprobs, -1, kMaxLogprobs);
  if (has_top) sampling.logprobs = top;
}

/// Whole numbers from 0 on; -1 is how clients that always send the field leave the choice to us.
void read_seed(FieldReader& reader, SamplingParams& sampling) {
  std::int64_t seed = -1;
  reader.integer("seed", seed, -1, kMostInt64);
  if (seed >= 0) sampling.seed = static_cast<std::uint64_t>(seed);
}

void read_token_choice(FieldReader& reader, SamplingParams& sampling) {
  read_logit_bias(reader, sampling);
  reader.integers("allowed_token_ids", sampling.allowed_token_ids, 0, kMostInt32);
  if (const auto* allowed = reader.any("allowed_token_ids"))
    if (sampling.allowed_token_ids.empty())
      reader.refuse("allowed_token_ids", "one id or more", *allowed);
  reader.integers("banned_token_ids", sampling.banned_token_ids, 0, kMostInt32);
  reader.texts("bad_words", sampling.bad_words);
}

void read_penalties(FieldReader& reader, SamplingParams& sampling) {
  reader.one_name("repetition_penalty", "repeat_penalty");
  reader.number("repetition_penalty", sampling.repetition_penalty);
  reader.number("repeat_penalty", sampling.repetition_penalty);
  reader.number("presence_penalty", sampling.presence_penalty);
  reader.number("frequency_penalty", sampling.frequency_penalty);
  for (const auto* name : {"penalty_window", "repeat_last_n", "penalty_last_n"})
    reader.integer(name, sampling.penalty_window, -1, kMostInt32);
  reader.one_name("penalty_window", "repeat_last_n");
  reader.one_name("penalty_window", "penalty_last_n");
  reader.one_name("repeat_last_n", "penalty_last_n");
  reader.number("dry_multiplier", sampling.dry_multiplier);
  reader.number("dry_base", sampling.dry_base);
  reader.integer("dry_allowed_length", sampling.dry_allowed_length, 1, kMostInt32);
  reader.integer("dry_penalty_last_n", sampling.dry_penalty_last_n, -1, kMostInt32);
  reader.texts("dry_sequence_breakers", sampling.dry_sequence_breakers);
}

void read_filters(FieldReader& reader, SamplingParams& sampling) {
  reader.number("temperature", sampling.temperature);
  reader.number("dynatemp_range", sampling.dynatemp_range);
  reader.number("dynatemp_exponent", sampling.dynatemp_exponent);
  reader.integer("top_k", sampling.top_k, -1, kMostInt32);
  reader.number("top_p", sampling.top_p);
  reader.number("min_p", sampling.min_p);
  reader.one_name("typical_p", "typ_p");
  reader.number("typical_p", sampling.typical_p);
  reader.number("typ_p", sampling.typical_p);
  reader.number("top_n_sigma", sampling.top_n_sigma);
  if (sampling.top_n_sigma == -1) sampling.top_n_sigma = 0;  // llama.cpp's way to write off
  reader.number("xtc_probability", sampling.xtc_probability);
  reader.number("xtc_threshold", sampling.xtc_threshold);
  reader.integer("mirostat", sampling.mirostat, 0, kMostInt32);
  reader.number("mirostat_tau", sampling.mirostat_tau);
  reader.number("mirostat_eta", sampling.mirostat_eta);
}

}  // namespace

void read_sampling(FieldReader& reader, SamplingParams& sampling) {
  read_filters(reader, sampling);
  read_penalties(reader, sampling);
  read_token_choice(reader, sampling);
  read_seed(reader, sampling);
  read_logprobs(reader, sampling);
  reader.integer("prompt_logprobs", sampling.prompt_logprobs, 0, kMaxLogprobs);
}

void read_stop(FieldReader& reader, StopParams& stop) {
  for (const auto* name : {"max_tokens", "max_completion_tokens", "n_predict"})
    reader.integer(name, stop.max_tokens, -1, kMostInt64);
  reader.one_name("max_tokens", "max_completion_tokens");
  reader.one_name("max_tokens", "n_predict");
  reader.one_name("max_completion_tokens", "n_predict");
  reader.integer("min_tokens", stop.min_tokens, 0, kMostInt64);
  reader.texts("stop", stop.stop);
  reader.boolean("include_stop_str_in_output", stop.include_stop_str_in_output);
  reader.integers("stop_token_ids", stop.stop_token_ids, 0, kMostInt32);
  reader.boolean("ignore_eos", stop.ignore_eos);
}

}  // namespace troupe
