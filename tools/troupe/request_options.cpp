#include "request_options.h"

#include "troupe/core/json.h"
#include "troupe/core/request_json.h"
#include "troupe/core/sampling_limits.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace troupe::program {

void RequestOptions::add_to(CommandLine& command) {
  command.option("--max-tokens N", max_tokens,
                 "most tokens to generate; -1 = until the context is full");
  command.option("--temperature T", temperature, "0 = always the most probable token");
  command.option("--top-k K", top_k, "draw from the K most probable tokens; 0 = all");
  command.option("--top-p P", top_p, "draw from the smallest set of tokens with this probability");
  command.option("--min-p P", min_p, "leave out tokens less probable than this share of the best");
  command.option("--repetition-penalty R", repetition_penalty, "above 1: repeat less");
  command.option("--presence-penalty R", presence_penalty, "taken off once a token was used");
  command.option("--frequency-penalty R", frequency_penalty, "taken off for each use of a token");
  command.option("--seed S", seed,
                 "equal seeds give equal answers; without it each run has its own");
  command.option("--stop TEXT", stop, "text at which to stop");
  command.option("--fields JSON", fields,
                 "further fields of the request, as docs/protocol.md lists them; they win over "
                 "the options");
  command.option("--model-name NAME", model_name,
                 "which model answers, where a pipeline has several: the request's `model`");
}

Result<void> RequestOptions::apply(Request& request) const {
  auto& sampling = request.sampling;
  sampling.temperature = temperature;
  sampling.top_k = top_k;
  sampling.top_p = top_p;
  sampling.min_p = min_p;
  sampling.repetition_penalty = repetition_penalty;
  sampling.presence_penalty = presence_penalty;
  sampling.frequency_penalty = frequency_penalty;
  sampling.seed = seed ? *seed : std::random_device{}();
  request.stop.max_tokens = max_tokens;
  request.stop.stop = stop;
  request.model = model_name;
  if (fields.empty()) return validate(request.sampling, request.stop, 0);
  const auto json = parse_json(fields);
  if (!json) return fail_at("--fields", json.error());
  if (auto set = set_fields(*json, std::chrono::steady_clock::now(), request); !set)
    return fail_at("--fields", set.error());
  return {};
}

Result<void> RequestOptions::check_model_name(const pipeline::PipelineSpec& spec) const {
  const auto routes = [](const auto& op) { return op.kind == OperatorKind::router; };
  if (model_name.empty() || std::ranges::any_of(spec.operators, routes)) return {};
  return fail(ErrorCode::invalid_argument,
              "--model-name " + model_name + ": pipeline '" + spec.name +
                  "' has no router to choose a model; --model FILE gives its model file");
}

Result<void> check_one_choice(const Request& request) {
  if (request.n == 1) return {};
  return fail(ErrorCode::invalid_argument,
              "n = " + std::to_string(request.n) +
                  ": expected 1, as text is shown while it comes; `troupe run --json` takes more");
}

}  // namespace troupe::program
