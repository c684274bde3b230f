#include "scenario.h"

#include "random_loop.h"
#include "random_request.h"
#include "troupe/testing/fake_model.h"

#include <chrono>
#include <string>

namespace troupe::simulation {
namespace {

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
  request->sampling = random_sampling(dice, info.vocab_size);
  request->stop = random_stop(dice, info.vocab_size);
  request->n = dice.one_in(4) ? dice.from(1, 5) : 1;  // 5 is above the cap
  request->stream = dice.one_in(2);
  random_sharing(dice, *request);
  if (dice.one_in(8))
    request->deadline = request->context->arrived + std::chrono::milliseconds(dice.from(0, 60));
  auto tokenized = std::make_shared<TokenizedRequest>();
  const int length = dice.from(dice.one_in(30) ? 0 : 1, dice.one_in(10) ? 170 : 40);
  // Prompts that begin alike share blocks, if the cache can do that.
  const int alike = dice.one_in(2) ? dice.from(0, length) : 0;
  for (int i = 0; i < length; ++i)
    tokenized->prompt_ids.push_back(i < alike ? 3 : dice.from(3, info.vocab_size - 1));
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
  scenario.executor = random_executor(dice);
  scenario.scheduler = random_scheduler(dice, scenario.executor);
  const auto tokens = std::make_shared<testing::FakeTokens>(scenario.executor.vocab_size);
  const int count = dice.from(1, 14);
  for (int i = 0; i < count; ++i)
    scenario.arrivals.push_back(
        make_arrival(dice, static_cast<std::uint64_t>(i + 1), scenario.executor, tokens));
  if (dice.one_in(3)) scenario.faults.step_error = dice.from(1, 100);
  if (dice.one_in(2)) scenario.faults.swap_fails = dice.from(1, 300);
  if (dice.one_in(4)) scenario.faults.executor_lost = dice.from(1, 50);
  if (dice.one_in(4)) scenario.faults.hand_over = dice.from(1, 50);
  return scenario;
}

}  // namespace troupe::simulation
