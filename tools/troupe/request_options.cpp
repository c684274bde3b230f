#include "request_options.h"

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
  sampling.seed = seed ? *seed : std::random_device{}();
  request.stop.max_tokens = max_tokens;
  request.stop.stop = stop;
}

}  // namespace troupe::program
