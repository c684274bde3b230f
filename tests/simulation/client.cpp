#include "client.h"

#include "troupe/core/block_math.h"

#include <algorithm>

namespace troupe::simulation {
namespace {

bool same(const TokenScore& a, const TokenScore& b) {
  return a.chosen == b.chosen && a.top == b.top;
}

}  // namespace

void Clients::sent(const Arrival& arrival) {
  auto& client = clients_[arrival.request->request->context->id];
  client.arrival = &arrival;
  ++open_;
  const auto& request = *arrival.request->request;
  const auto limit = std::min<std::int64_t>(info_.context_len, tokens_in(info_.num_blocks));
  const bool served = request.n <= 4 && !arrival.request->prompt_ids.empty() &&
                      static_cast<std::int64_t>(arrival.request->prompt_ids.size()) < limit;
  if (!served) return;
  client.choices.resize(static_cast<std::size_t>(request.n));
  for (std::int32_t i = 0; i < request.n; ++i)
    client.choices[static_cast<std::size_t>(i)].truth =
        answer_alone(*arrival.request, i, limit, info_.vocab_size, sampler_);
}

void Clients::wrong(const TokenEvent& event, const std::string& what) {
  if (fault_.empty())
    fault_ = "request " + std::to_string(event.context->id.value) + ", choice " +
             std::to_string(event.choice) + ", event " + std::to_string(event.number) + ": " + what;
}

void Clients::emit(TokenEvent event) {
  auto& client = clients_[event.context->id];
  if (client.arrival == nullptr) return wrong(event, "nobody sent this request");
  if (client.ended) return wrong(event, "an event after the last one");
  if (event.number != client.next_number++) return wrong(event, "its number is out of order");
  if (event.client_id != client.arrival->request->request->client_id)
    return wrong(event, "another client's id");
  if (!event.token_ids.empty() || event.finish == FinishReason::stop ||
      event.finish == FinishReason::length)
    check_choice(client, event);
  if (event.last) check_end(client, event);
  events_.push_back(std::move(event));
}

void Clients::check_choice(Client& client, const TokenEvent& event) {
  const auto& tokenized = *client.arrival->request;
  if (tokenized.request->stop.max_tokens == 0) return;  // answered without a token
  const auto index = static_cast<std::size_t>(event.choice);
  if (index >= client.choices.size()) return wrong(event, "no such choice");
  auto& choice = client.choices[index];
  const auto& truth = choice.truth;
  if (choice.finish != FinishReason::none) return wrong(event, "the choice had ended");
  const bool scored = tokenized.request->sampling.logprobs >= 0;
  if (event.scores.size() != (scored ? event.token_ids.size() : 0))
    return wrong(event, "scores do not fit the ids");
  for (std::size_t i = 0; i < event.token_ids.size(); ++i, ++choice.num_ids) {
    if (choice.num_ids >= truth.ids.size()) return wrong(event, "more tokens than the truth has");
    if (event.token_ids[i] != truth.ids[choice.num_ids])
      return wrong(event, "token " + std::to_string(choice.num_ids) + " differs from the truth");
    if (!event.scores.empty() && !same(event.scores[i], truth.scores[choice.num_ids]))
      return wrong(event, "log-probabilities differ from the truth");
    choice.text += tokenized.tokens->bytes(event.token_ids[i]);
  }
  if (event.trim_bytes > choice.text.size()) return wrong(event, "trims more than there is");
  choice.text.resize(choice.text.size() - event.trim_bytes);
  choice.finish = event.finish;
  if (truth.text.compare(0, choice.text.size(), choice.text) != 0)
    return wrong(event, "the client read text that is not the truth's: " + choice.text);
  if (event.finish == FinishReason::none) return;
  if (event.finish != truth.finish) wrong(event, "ended otherwise than the truth");
  if (event.stop_match != truth.stop_match) wrong(event, "another stop string");
  if (choice.num_ids != truth.ids.size() || choice.text != truth.text)
    wrong(event, "ended early: '" + choice.text + "' of '" + truth.text + "'");
}

void Clients::check_end(Client& client, const TokenEvent& event) {
  client.ended = true;
  --open_;
  ++ends[event.error ? std::string(to_string(event.error->code()))
                     : std::string(to_string(event.finish))];
  const auto& tokenized = *client.arrival->request;
  if (event.usage.prompt_tokens != static_cast<std::int64_t>(tokenized.prompt_ids.size()))
    wrong(event, "usage has another number of prompt tokens");
  if ((event.finish == FinishReason::error) != event.error.has_value())
    wrong(event, "an error without a reason, or the other way round");
  if (event.timings.e2e_ms < event.timings.ttft_ms || event.timings.queue_ms < 0)
    wrong(event, "times that cannot be");
  const bool breaks = !tokenized.prompt_ids.empty() && tokenized.prompt_ids[0] <= kBreaksRows;
  const bool whole = event.finish == FinishReason::stop || event.finish == FinishReason::length;
  if (!whole) {
    const auto code = event.error ? event.error->code() : ErrorCode::cancelled;
    if (code == ErrorCode::internal || (code == ErrorCode::device && !breaks))
      wrong(event, "failed without a fault of its own: " + event.error->message());
    return;
  }
  if (tokenized.request->stop.max_tokens == 0) return;
  if (breaks) wrong(event, "was to break and did not");
  std::int64_t made = 0;
  for (const auto& choice : client.choices) {
    if (choice.finish == FinishReason::none) wrong(event, "ended before all its choices");
    made += static_cast<std::int64_t>(choice.num_ids);
  }
  if (event.usage.completion_tokens != made) wrong(event, "usage counts other tokens than came");
}

}  // namespace troupe::simulation
