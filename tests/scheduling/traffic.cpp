#include "traffic.h"

#include "troupe/core/philox.h"
#include "troupe/testing/fake_model.h"

#include <algorithm>
#include <chrono>

namespace troupe::scheduling_test {
namespace {

int between(std::mt19937& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

std::vector<TokenId> make_prompt(std::mt19937& random, int longest) {
  const int beginning = between(random, 0, 2);  // of three system prompts
  const int shared = std::min(between(random, 0, 40), longest - 1);
  std::vector<TokenId> ids;
  for (int i = 0; i < shared; ++i)
    ids.push_back(static_cast<TokenId>((beginning * 17 + i * 3) % 60));
  for (int i = between(random, 1, std::max(1, std::min(30, longest - shared))); i > 0; --i)
    ids.push_back(static_cast<TokenId>(random() % 60));
  return ids;
}

}  // namespace

std::vector<Arrival> make_traffic(std::mt19937& random, const ExecutorInfo& info,
                                  bool with_priorities) {
  std::vector<Arrival> arrivals(static_cast<std::size_t>(between(random, 3, 14)));
  const int longest =
      std::min<int>(info.context_len - 2, static_cast<int>(info.num_blocks) * kBlockSize - 2);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    auto& arrival = arrivals[i];
    arrival.turn = between(random, 0, 40);
    if (between(random, 0, 5) == 0) arrival.cancel_turn = arrival.turn + between(random, 0, 40);
    auto request = std::make_shared<Request>();
    request->context = std::make_shared<RequestContext>();
    request->context->id = RequestId{i + 1};
    request->context->arrived = Time(std::chrono::milliseconds(arrival.turn));
    request->n = between(random, 0, 3) == 0 ? between(random, 2, 4) : 1;
    request->sampling.seed = random();
    request->stop.max_tokens = between(random, 1, 50);
    request->stop.ignore_eos = true;
    request->tenant = std::string(1, static_cast<char>('a' + between(random, 0, 2)));
    if (with_priorities) request->priority = between(random, 0, 3);
    if (between(random, 0, 2) == 0)  // an order, and never reached
      request->deadline = Time(std::chrono::hours(between(random, 1, 9)));
    auto tokenized = std::make_shared<TokenizedRequest>();
    tokenized->request = request;
    tokenized->prompt_ids = make_prompt(random, longest);
    tokenized->tokens = std::make_shared<testing::FakeTokens>(info.vocab_size);
    arrival.request = tokenized;
  }
  return arrivals;
}

TokenId MovedLargest::moved(TokenId largest, std::uint64_t seed, std::int32_t position) {
  const auto sum =
      static_cast<std::uint64_t>(largest) + seed % 1009 + static_cast<std::uint64_t>(position);
  return static_cast<TokenId>(1 + sum % 60);
}

void MovedLargest::sample(const SampleBatch& batch, SampledTokens& out) const {
  largest_.sample(batch, out);
  for (std::size_t i = 0; i < batch.rows.size(); ++i)
    out.tokens[i].token = moved(out.tokens[i].token, batch.rows[i].seed, batch.rows[i].position);
}

std::vector<TokenId> answer_alone(const TokenizedRequest& request, std::int32_t choice,
                                  std::int64_t max_tokens, const ExecutorInfo& info) {
  auto ids = request.prompt_ids;
  std::vector<float> logits(static_cast<std::size_t>(info.vocab_size));
  const auto num_prompt = static_cast<std::int64_t>(ids.size());
  const auto end = std::min(max_tokens, num_prompt + request.request->stop.max_tokens);
  const auto seed = choice_seed(*request.request->sampling.seed, choice);
  while (static_cast<std::int64_t>(ids.size()) < end) {
    const auto window = static_cast<std::size_t>(info.sliding_window);
    const std::span<const TokenId> seen(ids);
    testing::fake_logits(window == 0 || ids.size() <= window ? seen : seen.last(window), logits);
    const auto largest = std::max_element(logits.begin(), logits.end()) - logits.begin();
    ids.push_back(MovedLargest::moved(static_cast<TokenId>(largest), seed,
                                      static_cast<std::int32_t>(ids.size())));
  }
  return {ids.begin() + num_prompt, ids.end()};
}

}  // namespace troupe::scheduling_test
