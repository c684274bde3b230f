#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/result.h"
#include "troupe/api/value.h"
#include "troupe/model/model_file.h"
#include "troupe/model/model_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::model {

/// How many weights a file holds in one type.
struct WeightUse {
  WeightType type = WeightType::f32;
  std::int64_t num_tensors = 0;
  std::int64_t num_parameters = 0;
  std::int64_t bytes = 0;
};

/// A token with a meaning: its role ("bos", "eos", "end_of_turn", ...), id and text.
struct NamedToken {
  std::string role;
  TokenId id = 0;
  std::string text;
};

/// What a file says of its tokenizer.
struct TokenizerInfo {
  std::string model;          // "gpt2", "llama", ...
  std::string pre_tokenizer;  // empty when the file names none
  std::int64_t num_tokens = 0;
  std::vector<NamedToken> special_tokens;
  std::vector<NamedToken> end_of_generation;  // roles are "end"
  std::optional<bool> add_bos;                // nullopt: left to the kind of tokenizer
  std::optional<bool> add_eos;
  /// Why this build cannot use the tokenizer; empty when it can.
  std::string problem;
};

/// The precisions a run would use besides that of the weights; the names are the executor's, such
/// as "bf16". An empty name is left out of the printed forms.
struct RunPrecision {
  std::string activations;
  std::string kv;
};

/// All that `troupe model info` shows of a file.
struct ModelInfo {
  std::string path;
  ModelSpec spec;
  RunPrecision precision;
  std::vector<WeightUse> weights;  // the type with the most bytes first
  double bits_per_weight = 0;
  std::optional<TokenizerInfo> tokenizer;    // nullopt: the file has none
  std::optional<std::string> chat_template;  // nullopt: the file has none
};

/// Gathers a file's information. A tokenizer this build cannot use is no error: see
/// TokenizerInfo::problem. Errors: as read_model_spec, naming the file.
Result<ModelInfo> read_model_info(const ModelFile& file, RunPrecision precision = {});

/// The information as one JSON object; sizes in bytes, `kv_bytes_per_token` by precision.
Value to_value(const ModelInfo& info);

/// The information as lines of text for people, ending in a line break.
std::string to_text(const ModelInfo& info);

}  // namespace troupe::model
