#include "actor_scenario.h"

#include "dice.h"
#include "faulty_operators.h"
#include "random_loop.h"
#include "random_request.h"
#include "troupe/testing/fake_model.h"

#include <chrono>

namespace troupe::simulation {
namespace {

/// How often each kind happens, in a thousand occasions, in the runs where it may. Occasions
/// differ: a step has many calls and one submit.
constexpr struct {
  Fault fault;
  int most;
} kRates[] = {
    {Fault::cancels_again, 30},
    {Fault::client_vanishes, 20},
    {Fault::overtaking, 900},
    {Fault::late_message, 10},
    {Fault::slow_reader, 10},
    {Fault::clock_jump, 3},
    {Fault::step_error, 60},
    {Fault::row_failure, 20},
    {Fault::executor_throws, 40},
    {Fault::executor_late, 500},
    {Fault::swap_out_fails, 700},
    {Fault::swap_in_fails, 700},
    {Fault::cache_throws, 30},
    {Fault::scheduler_throws, 12},
    {Fault::sampler_throws, 30},
    {Fault::sampler_miscounts, 20},
    {Fault::sampler_lies, 20},
    {Fault::encode_throws, 40},
    {Fault::decode_throws, 20},
    {Fault::stage_throws, 40},
    {Fault::stage_throws_on_event, 20},
    {Fault::stage_refuses, 60},
    {Fault::router_throws, 40},
    {Fault::router_lies, 40},
    {Fault::allocation_fails, 20},
    {Fault::restart_fails, 60},
    {Fault::same_client_id, 300},
};

void crowd(Dice& dice, ExecutorInfo& executor) {
  executor.num_blocks = dice.from(5, 9);
  executor.context_len = dice.from(70, 160);
  executor.max_batch_tokens = 80;
  executor.num_host_slots = dice.from(0, 12);
}

/// The accelerator still computes what the scheduler gave up, and the next plan is there before it
/// is done.
void give_up_late_steps(Dice& dice, ActorScenario& scenario) {
  scenario.rates[Fault::executor_late] = dice.from(100, 500);
  scenario.rates[Fault::gives_up_late_step] = dice.from(50, 500);
  scenario.late_turns = dice.from(20, 200);
  scenario.num_retries = dice.from(2, 10);
}

/// Steps fail in which blocks were to be filled, and the cache alone knows not to trust them.
void trust_failed_steps(Dice& dice, ActorScenario& scenario) {
  scenario.rates[Fault::step_error] = dice.from(50, 300);
  scenario.rates[Fault::scheduler_trusts] = dice.from(300, 900);
}

ActorArrival make_arrival(Dice& dice, int number, const ActorScenario& scenario,
                          const std::shared_ptr<const TokenTable>& tokens) {
  const auto vocab_size = scenario.executor.vocab_size;
  ActorArrival arrival;
  arrival.turn = dice.from(0, dice.one_in(3) ? 1000 : 80);
  arrival.as_text = dice.one_in(2);
  auto request = std::make_shared<Request>();
  request->client_id = dice.in_thousand(static_cast<int>(scenario.rates[Fault::same_client_id]))
                           ? "same"
                           : "client-" + std::to_string(number);
  request->model = dice.one_in(4) ? "tb" : "ta";
  request->sampling = random_sampling(dice, vocab_size);
  if (dice.one_in(4)) request->sampling.prompt_logprobs = dice.from(0, 2);
  request->stop = random_stop(dice, vocab_size);
  request->n = dice.one_in(4) ? dice.from(1, 5) : 1;  // 5 is above the cap
  request->stream = dice.one_in(2);
  random_sharing(dice, *request);
  // From the epoch of the virtual clock.
  if (dice.one_in(6)) request->deadline = Time(std::chrono::milliseconds(dice.from(0, 300)));
  std::string text;
  const int length = dice.from(dice.one_in(30) ? 0 : 1, dice.one_in(10) ? 170 : 40);
  // Prompts that begin alike share blocks, if the cache can do that.
  const int alike = dice.one_in(2) ? dice.from(0, length) : 0;
  for (int i = 0; i < length; ++i)
    text += static_cast<char>(i < alike ? 'x' : dice.from('a', 'z'));
  auto tokenized = std::make_shared<TokenizedRequest>();
  tokenized->prompt_ids = letters(text, vocab_size);
  arrival.as_text = arrival.as_text || text.empty();
  if (arrival.as_text)
    request->prompt = {{text, false}};
  else
    request->prompt_ids = tokenized->prompt_ids;
  tokenized->request = request;
  tokenized->tokens = tokens;
  arrival.request = tokenized;
  return arrival;
}

}  // namespace

ActorScenario make_actor_scenario(std::uint64_t seed) {
  Dice dice(seed);
  ActorScenario scenario;
  scenario.seed = seed;
  scenario.executor = random_executor(dice);
  const bool crowded = dice.one_in(3);  // sequences that fit alone, but not together
  if (crowded) crowd(dice, scenario.executor);
  scenario.scheduler = random_scheduler(dice, scenario.executor);
  scenario.mailbox = dice.one_in(3) ? dice.from(1, 3) : 64;
  scenario.restart.max = dice.one_in(6) ? dice.from(0, 2) : 100;
  // Each run has some of the kinds: all at once would hide each other.
  const int share = crowded ? dice.from(4, 10) : dice.from(1, 6);
  for (const auto& [fault, most] : kRates)
    if (dice.one_in(share)) scenario.rates[fault] = dice.from(1, most);
  scenario.fault_turns = dice.from(200, 2000);
  scenario.cancel_rate = dice.one_in(2) ? dice.from(1, 100) : 0;
  scenario.late_turns = dice.from(1, dice.one_in(3) ? 400 : 20);
  if (dice.one_in(2)) scenario.num_retries = dice.from(1, 8);
  if (dice.one_in(8)) give_up_late_steps(dice, scenario);
  if (dice.one_in(8)) trust_failed_steps(dice, scenario);
  if (dice.one_in(12)) scenario.shutdown_turn = dice.from(1, 1200);
  if (dice.one_in(20)) {
    constexpr const char* kMortal[] = {"guard", "router", "ta", "sa", "ka", "ea", "pa"};
    scenario.death_turn = dice.from(1, 1000);
    scenario.dies = kMortal[dice.from(0, 6)];
  }
  const auto tokens = std::make_shared<testing::FakeTokens>(scenario.executor.vocab_size);
  const int count = dice.from(1, 15);
  for (int i = 0; i < count; ++i)
    scenario.arrivals.push_back(make_arrival(dice, i + 1, scenario, tokens));
  return scenario;
}

}  // namespace troupe::simulation
