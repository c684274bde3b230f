#include "request_options.h"

#include <random>

namespace troupe::program {

void RequestOptions::add_to(CLI::App& app) {
  app.add_option("--max-tokens", max_tokens,
                 "most tokens to generate; -1 = until the context is full")
      ->capture_default_str();
  app.add_option("--temperature", temperature, "0 = always the most probable token")
      ->capture_default_str();
  app.add_option("--top-k", top_k, "draw from the k most probable tokens; 0 = all")
      ->capture_default_str();
  app.add_option("--top-p", top_p, "draw from the smallest set of tokens with this probability")
      ->capture_default_str();
  app.add_option("--min-p", min_p, "leave out tokens less probable than this share of the best")
      ->capture_default_str();
  app.add_option("--repetition-penalty", repetition_penalty, "above 1: repeat less")
      ->capture_default_str();
  app.add_option("--presence-penalty", presence_penalty, "taken off once a token was used")
      ->capture_default_str();
  app.add_option("--frequency-penalty", frequency_penalty, "taken off for each use of a token")
      ->capture_default_str();
  app.add_option("--seed", seed, "equal seeds give equal answers; without it each run has its own")
      ->each([this](const std::string&) { seed_given = true; });
  app.add_option("--stop", stop, "text at which to stop; repeatable");
}

void RequestOptions::apply(Request& request) const {
  auto& sampling = request.sampling;
  sampling.temperature = temperature;
  sampling.top_k = top_k;
  sampling.top_p = top_p;
  sampling.min_p = min_p;
  sampling.repetition_penalty = repetition_penalty;
  sampling.presence_penalty = presence_penalty;
  sampling.frequency_penalty = frequency_penalty;
  sampling.seed = seed_given ? seed : std::random_device{}();
  request.stop.max_tokens = max_tokens;
  request.stop.stop = stop;
}

}  // namespace troupe::program
