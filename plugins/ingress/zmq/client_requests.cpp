#include "client_requests.h"

#include "troupe/core/request_json.h"
#include "wire.h"

#include <utility>

namespace troupe::zmq_door {
namespace {

void add_to_choice(CollectedChoice& choice, const TokenEvent& event) {
  choice.text += event.text;
  choice.token_ids.insert(choice.token_ids.end(), event.token_ids.begin(), event.token_ids.end());
  choice.scores.insert(choice.scores.end(), event.scores.begin(), event.scores.end());
  if (event.finish != FinishReason::none) choice.finish = event.finish;
  if (!event.stop_match.empty()) choice.stop_match = event.stop_match;
}

Value choice_to_json(CollectedChoice choice) {
  Value::Array ids, scores;
  ids.reserve(choice.token_ids.size());
  for (const auto id : choice.token_ids)
    ids.emplace_back(static_cast<std::int64_t>(id));
  for (const auto& score : choice.scores)
    scores.push_back(score_to_json(score));
  Value value{Value::Object{}};
  value.set("text", std::move(choice.text));
  value.set("token_ids", std::move(ids));
  if (!scores.empty()) value.set("logprobs", std::move(scores));
  if (choice.finish != FinishReason::none) value.set("finish_reason", to_string(choice.finish));
  if (!choice.stop_match.empty()) value.set("stop", std::move(choice.stop_match));
  return value;
}

}  // namespace

std::optional<RequestId> ClientRequests::find(const std::string& identity,
                                              const std::string& id) const {
  const auto it = by_client_.find({identity, id});
  return it == by_client_.end() ? std::nullopt : std::optional<RequestId>(it->second);
}

std::vector<RequestId> ClientRequests::all_of(const std::string& identity) const {
  std::vector<RequestId> all;
  for (auto it = by_client_.lower_bound({identity, ""});
       it != by_client_.end() && it->first.first == identity; ++it)
    all.push_back(it->second);
  return all;
}

std::vector<RequestId> ClientRequests::all_of(ConnectionId connection) const {
  std::vector<RequestId> all;
  for (const auto& [request, entry] : by_id_)
    if (entry.connection == connection) all.push_back(request);
  return all;
}

std::vector<RequestId> ClientRequests::all() const {
  std::vector<RequestId> all;
  for (const auto& [request, entry] : by_id_)
    all.push_back(request);
  return all;
}

std::size_t ClientRequests::count(const std::string& identity) const {
  return all_of(identity).size();
}

void ClientRequests::add(RequestId request, ClientRequest entry) {
  by_client_.emplace(std::make_pair(entry.identity, entry.id), request);
  by_id_.emplace(request, std::move(entry));
}

ClientRequest* ClientRequests::find(RequestId request) {
  const auto it = by_id_.find(request);
  return it == by_id_.end() ? nullptr : &it->second;
}

void ClientRequests::remove(RequestId request) {
  const auto it = by_id_.find(request);
  if (it == by_id_.end()) return;
  by_client_.erase({it->second.identity, it->second.id});
  by_id_.erase(it);
}

std::optional<Value> collect(ClientRequest& request, const TokenEvent& event) {
  const auto index = static_cast<std::size_t>(event.choice);
  if (request.choices.size() <= index) request.choices.resize(index + 1);
  add_to_choice(request.choices[index], event);
  if (!event.last) return std::nullopt;
  Value::Array choices;
  for (auto& choice : request.choices)
    choices.push_back(choice_to_json(std::move(choice)));
  Value message;
  message.set("id", request.id);
  message.set("event", "end");
  message.set("choices", std::move(choices));
  if (event.error)
    message.set("error", error_to_json(short_error(*event.error), event.retry_after_ms));
  message.set("usage", usage_to_json(event.usage));
  message.set("timings", timings_to_json(event.timings));
  return message;
}

}  // namespace troupe::zmq_door
