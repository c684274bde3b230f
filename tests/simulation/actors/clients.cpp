#include "clients.h"

#include "troupe/core/block_math.h"

#include <algorithm>

namespace troupe::simulation {
namespace {

bool same(const TokenScore& a, const TokenScore& b) {
  return a.chosen == b.chosen && a.top == b.top;
}

}  // namespace

void Clients::sent(RequestId id, const TokenizedRequest& tokenized) {
  auto& client = clients_[id];
  client.request = &tokenized;
  ++open_;
  const auto& request = *tokenized.request;
  const auto limit =
      std::min<std::int64_t>(world_.info.context_len, tokens_in(world_.info.num_blocks));
  const auto length = static_cast<std::int64_t>(tokenized.prompt_ids.size());
  const bool fits = length < limit && request.stop.max_tokens <= world_.info.context_len - length;
  if (request.n > 4 || length == 0 || !fits) return;  // is refused
  if (request.wants_prompt_logprobs())
    client.prompt_scores = prompt_scores_alone(tokenized, world_.info.vocab_size, sampler_);
  client.choices.resize(static_cast<std::size_t>(request.n));
  for (std::int32_t i = 0; i < request.n; ++i)
    client.choices[static_cast<std::size_t>(i)].truth =
        answer_alone(tokenized, i, limit, world_.info.vocab_size, sampler_);
}

void Clients::all_cancelled() {
  for (auto& [id, client] : clients_)
    client.cancelled = true;
}

std::int64_t Clients::num_remembered() const {
  return std::count_if(clients_.begin(), clients_.end(), [](const auto& entry) {
    return entry.second.ended && !entry.second.context.expired();
  });
}

std::optional<RequestId> Clients::open(std::int64_t n) const {
  for (const auto& [id, client] : clients_)
    if (!client.ended && n-- == 0) return id;
  return std::nullopt;
}

const TokenizedRequest* Clients::find(RequestId id) const {
  const auto found = clients_.find(id);
  return found == clients_.end() ? nullptr : found->second.request;
}

void Clients::wrong(const TokenEvent& event, const std::string& what) {
  world_.wrong("request " + std::to_string(event.context->id.value) + ", choice " +
               std::to_string(event.choice) + ", event " + std::to_string(event.number) + ": " +
               what + (event.error ? " (" + event.error->message() + ")" : ""));
}

void Clients::on_event(const TokenEvent& event, Time now) {
  for (const TokenId id : event.token_ids)
    world_.trace.add(id);
  world_.note("  event ", event.number, " of request ", event.context->id.value, ".", event.choice,
              ": ", event.token_ids.size(), " tokens, '", event.text, "', ",
              to_string(event.finish), event.last ? ", last" : "",
              event.error ? event.error->message() : std::string());
  auto& client = clients_[event.context->id];
  if (client.request == nullptr) return wrong(event, "nobody sent this request");
  client.context = event.context;
  if (client.ended) return wrong(event, "an event after the last one");
  if (event.number != client.next_number++) wrong(event, "its number is out of order");
  if (event.client_id != client.request->request->client_id) wrong(event, "another client's id");
  if (!event.prompt_scores.empty()) check_prompt_scores(client, event);
  if (event.text != kReply) check_tokens(client, event);
  if (event.last) check_end(client, event, now);
}

void Clients::check_prompt_scores(Client& client, const TokenEvent& event) {
  if (client.has_prompt_scores || event.choice != 0)
    return wrong(event, "the prompt's scores come once, with choice 0");
  client.has_prompt_scores = true;
  if (!std::ranges::equal(event.prompt_scores, client.prompt_scores, same))
    wrong(event, "the prompt's scores differ from the truth");
}

/// The i-th token of an event, which is the choice's next one.
void Clients::check_token(const Choice& choice, const TokenEvent& event, std::size_t i) {
  const auto& truth = choice.truth;
  const auto n = choice.num_ids;
  if (n >= truth.ids.size()) return wrong(event, "more tokens than the truth has");
  if (event.token_ids[i] != truth.ids[n])
    return wrong(event, "token " + std::to_string(n) + " differs from the truth");
  if (!truth.scores.empty() && !same(event.scores[i], truth.scores[n]))
    wrong(event, "the scores of token " + std::to_string(n) + " differ from the truth");
}

void Clients::check_tokens(Client& client, const TokenEvent& event) {
  const auto& request = *client.request->request;
  if (request.stop.max_tokens == 0) return;  // answered without a token
  if (event.token_ids.empty() && event.text.empty() && event.finish != FinishReason::stop &&
      event.finish != FinishReason::length)
    return;
  const auto index = static_cast<std::size_t>(event.choice);
  if (index >= client.choices.size()) return wrong(event, "no such choice");
  auto& choice = client.choices[index];
  const auto& truth = choice.truth;
  if (choice.finish != FinishReason::none) return wrong(event, "the choice had ended");
  if (event.scores.size() != (request.sampling.logprobs >= 0 ? event.token_ids.size() : 0))
    return wrong(event, "its scores do not fit its ids");
  for (std::size_t i = 0; i < event.token_ids.size(); ++i, ++choice.num_ids)
    check_token(choice, event, i);
  if (event.error) return;
  choice.text += event.text;
  choice.finish = event.finish;
  if (truth.text.compare(0, choice.text.size(), choice.text) != 0)
    return wrong(event, "the client reads text that is not the truth's: " + choice.text);
  if (event.finish == FinishReason::none || event.finish == FinishReason::cancelled) return;
  if (event.finish != truth.finish) wrong(event, "ended otherwise than the truth");
  if (choice.num_ids != truth.ids.size() || choice.text != truth.text)
    wrong(event, "ended early: '" + choice.text + "' of '" + truth.text + "'");
}

bool Clients::may_end_with(const Client& client, const Error& error, Time now) {
  const auto& request = *client.request->request;
  const auto& counts = world_.counts;
  switch (error.code()) {
    case ErrorCode::deadline:
      world_.count(Fault::deadline);
      return request.deadline && *request.deadline <= now;
    case ErrorCode::resource_exhausted:
      if (error.message().find("queue of operator") != std::string::npos)
        world_.count(Fault::queue_full);
      return true;
    case ErrorCode::device:
      return counts[Fault::step_error] + counts[Fault::row_failure] +
                 counts[Fault::executor_throws] + counts[Fault::cache_throws] +
                 counts[Fault::allocation_fails] >
             0;
    case ErrorCode::invalid_argument:
      return client.choices.empty();
    case ErrorCode::cancelled:
      return client.cancelled;
    case ErrorCode::unsupported:  // by a scheduler without priorities, or the stage
      return request.priority != 0 || world_.excuses(error);
    default:
      if (error.message().find("the actor of operator") != std::string::npos)
        return counts[Fault::actor_dies] > 0;
      return world_.excuses(error);
  }
}

void Clients::check_end(Client& client, const TokenEvent& event, Time now) {
  client.ended = true;
  --open_;
  ++ends[event.error ? std::string(to_string(event.error->code()))
                     : std::string(to_string(event.finish))];
  if ((event.finish == FinishReason::error) != event.error.has_value())
    wrong(event, "an error without a reason, or the other way round");
  switch (event.finish) {
    case FinishReason::none:
      return wrong(event, "the last event ends nothing");
    case FinishReason::cancelled:
      if (!client.cancelled) wrong(event, "cancelled, and nobody did");
      return;
    case FinishReason::error:
      if (!event.error || !may_end_with(client, *event.error, now))
        wrong(event, "failed without a fault of its own");
      return;
    case FinishReason::stop:
    case FinishReason::length:
      return check_whole(client, event);
  }
}

void Clients::check_whole(const Client& client, const TokenEvent& event) {
  if (event.text == kReply) return;
  if (client.has_prompt_scores == client.prompt_scores.empty())
    wrong(event, "ended without the prompt's scores");
  if (client.request->request->stop.max_tokens == 0) return;
  if (client.choices.empty()) wrong(event, "was served, and cannot be");
  std::int64_t made = 0;
  for (const auto& choice : client.choices) {
    if (choice.finish == FinishReason::none) wrong(event, "ended before all its choices");
    made += static_cast<std::int64_t>(choice.num_ids);
  }
  if (event.usage.completion_tokens != made) wrong(event, "usage counts other tokens than came");
}

}  // namespace troupe::simulation
