#pragma once
#include "command_line.h"
#include "troupe/api/request.h"
#include "troupe/pipeline/pipeline_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::program {

/// The options of a request, as `run` and `chat` have them.
struct RequestOptions {
  std::int64_t max_tokens = -1;
  float temperature = 0.7f;
  std::int32_t top_k = 0;
  float top_p = 1.0f;
  float min_p = 0.0f;
  float repetition_penalty = 1.0f;
  float presence_penalty = 0.0f;
  float frequency_penalty = 0.0f;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> stop;
  std::string model_name;
  std::string fields;  // more of them, as JSON

  void add_to(CommandLine& command);
  /// Puts the options into a request that has its prompt. Without --seed the seed is drawn anew.
  /// Errors: invalid_argument (--fields, or values out of range).
  Result<void> apply(Request& request) const;
  /// Errors: invalid_argument, when a model is named and no router of the pipeline would look at
  /// it.
  Result<void> check_model_name(const pipeline::PipelineSpec& spec) const;
};

/// Errors: invalid_argument, when a request has several choices: a terminal shows one.
Result<void> check_one_choice(const Request& request);

}  // namespace troupe::program
