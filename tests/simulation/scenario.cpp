#include "scenario.h"

#include "troupe/testing/fake_model.h"

#include <chrono>
#include <string>

namespace troupe::simulation {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  /// A number from `low` to `high`, both included.
  int from(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return from(1, n) == 1; }

 private:
  std::mt19937_64 random_;
};

ExecutorInfo make_executor(Dice& dice) {
  ExecutorInfo info;
  info.vocab_size = dice.from(20, 60);
  info.context_len = dice.from(20, 160);
  info.num_blocks = dice.from(2, dice.one_in(2) ? 8 : 40);
  info.max_batch_tokens = dice.from(3, 80);
  return info;
}

Value::Object make_params(Dice& dice) {
  return {{"max_batch_tokens", dice.one_in(2) ? 0 : dice.from(1, 3)},
          {"prefill_chunk", dice.from(1, 40)},
          {"max_num_seqs", dice.from(1, 12)},
          {"max_waiting", dice.from(4, 30)},
          {"max_choices", 4}};
}

SamplingParams make_sampling(Dice& dice, std::int32_t vocab_size) {
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

StopParams make_stop(Dice& dice, std::int32_t vocab_size) {
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

Arrival make_arrival(Dice& dice, std::uint64_t id, const ExecutorInfo& info,
                     const std::shared_ptr<const TokenTable>& tokens) {
  Arrival arrival;
  arrival.turn = dice.from(0, 60);
  if (dice.one_in(6)) arrival.cancel_turn = arrival.turn + dice.from(0, 30);
  auto request = std::make_shared<Request>();
  request->context = std::make_shared<RequestContext>();
  request->context->id = RequestId{id};
  request->context->arrived = Time(std::chrono::milliseconds(arrival.turn));
  request->client_id = "client-" + std::to_string(id % 3);  // not unique, and that is no matter
  request->sampling = make_sampling(dice, info.vocab_size);
  request->stop = make_stop(dice, info.vocab_size);
  request->n = dice.one_in(4) ? dice.from(1, 5) : 1;  // 5 is above the cap
  request->stream = dice.one_in(2);
  if (dice.one_in(8))
    request->deadline = request->context->arrived + std::chrono::milliseconds(dice.from(0, 60));
  auto tokenized = std::make_shared<TokenizedRequest>();
  const int length = dice.from(dice.one_in(30) ? 0 : 1, dice.one_in(10) ? 170 : 40);
  for (int i = 0; i < length; ++i)
    tokenized->prompt_ids.push_back(dice.from(3, info.vocab_size - 1));
  if (length > 0 && dice.one_in(15)) tokenized->prompt_ids[0] = kBreaksSteps;
  if (length > 0 && dice.one_in(15)) tokenized->prompt_ids[0] = kBreaksRows;
  tokenized->request = request;
  tokenized->tokens = tokens;
  arrival.request = tokenized;
  return arrival;
}

}  // namespace

Scenario make_scenario(std::uint64_t seed) {
  Dice dice(seed);
  Scenario scenario;
  scenario.seed = seed;
  scenario.executor = make_executor(dice);
  scenario.scheduler_params = make_params(dice);
  const auto tokens = std::make_shared<testing::FakeTokens>(scenario.executor.vocab_size);
  const int count = dice.from(1, 14);
  for (int i = 0; i < count; ++i)
    scenario.arrivals.push_back(
        make_arrival(dice, static_cast<std::uint64_t>(i + 1), scenario.executor, tokens));
  if (dice.one_in(3)) scenario.faults.step_error = dice.from(1, 100);
  if (dice.one_in(4)) scenario.faults.executor_lost = dice.from(1, 50);
  if (dice.one_in(4)) scenario.faults.hand_over = dice.from(1, 50);
  return scenario;
}

}  // namespace troupe::simulation
