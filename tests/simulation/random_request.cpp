#include "random_request.h"

#include <algorithm>
#include <string>

namespace troupe::simulation {

SamplingParams random_sampling(Dice& dice, std::int32_t vocab_size) {
  SamplingParams params;
  params.temperature = dice.one_in(3) ? 0.0f : static_cast<float>(dice.from(1, 30)) / 10.0f;
  if (dice.one_in(3)) params.top_k = dice.from(-1, 20);
  if (dice.one_in(3)) params.top_p = static_cast<float>(dice.from(1, 100)) / 100.0f;
  if (dice.one_in(4)) params.min_p = static_cast<float>(dice.from(0, 10)) / 100.0f;
  if (dice.one_in(4)) params.repetition_penalty = 1.3f;
  if (dice.one_in(4)) params.presence_penalty = 0.5f;
  if (dice.one_in(4)) params.frequency_penalty = -0.25f;
  if (dice.one_in(4)) params.penalty_window = dice.from(0, 12);
  if (dice.one_in(4)) params.logit_bias = {{dice.from(0, vocab_size - 1), 2.0f}};
  if (dice.one_in(3)) params.logprobs = dice.from(0, 3);
  params.seed = static_cast<std::uint64_t>(dice.from(0, 1000));
  return params;
}

StopParams random_stop(Dice& dice, std::int32_t vocab_size) {
  StopParams params;
  if (!dice.one_in(4)) params.max_tokens = dice.from(0, 40);
  if (dice.one_in(4)) params.min_tokens = dice.from(0, 8);
  if (params.max_tokens >= 0) params.min_tokens = std::min(params.min_tokens, params.max_tokens);
  if (dice.one_in(4)) params.stop_token_ids = {dice.from(0, vocab_size - 1)};
  params.ignore_eos = dice.one_in(3);
  for (int i = dice.one_in(2) ? dice.from(1, 3) : 0; i > 0; --i) {
    std::string text;
    for (int k = dice.from(1, 5); k > 0; --k)
      text += static_cast<char>('a' + dice.from(0, 4));
    params.stop.push_back(text);
  }
  return params;
}

void random_sharing(Dice& dice, Request& request) {
  request.priority = dice.one_in(10) ? dice.from(-2, 2) : 0;
  if (dice.one_in(2)) request.tenant = "tenant-" + std::to_string(dice.from(1, 3));
  if (dice.one_in(3)) request.cache_salt = "salt-" + std::to_string(dice.from(1, 2));
}

}  // namespace troupe::simulation
