#include "client_requests.h"

#include "troupe/core/request_json.h"

#include <algorithm>

namespace troupe::zmq_door {
namespace {

void append(Value& choice, std::string_view key, const Value::Array& items) {
  if (!choice.find(key)) choice.set(key, Value::Array{});
  Value all = *choice.find(key);
  all.as_array().insert(all.as_array().end(), items.begin(), items.end());
  choice.set(key, std::move(all));
}

void add_to_choice(Value& choice, const TokenEvent& event) {
  const auto* text = choice.find("text");
  choice.set("text", (text ? text->as_string() : "") + event.text);
  Value::Array ids, scores;
  for (const auto id : event.token_ids)
    ids.emplace_back(static_cast<std::int64_t>(id));
  append(choice, "token_ids", ids);
  for (const auto& score : event.scores)
    scores.push_back(score_to_json(score));
  if (!scores.empty()) append(choice, "logprobs", scores);
  if (event.finish != FinishReason::none) choice.set("finish_reason", to_string(event.finish));
  if (!event.stop_match.empty()) choice.set("stop", event.stop_match);
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
  if (request.choices.size() <= index) request.choices.resize(index + 1, Value(Value::Object{}));
  add_to_choice(request.choices[index], event);
  if (!event.last) return std::nullopt;
  Value message;
  message.set("id", request.id);
  message.set("event", "end");
  message.set("choices", std::move(request.choices));
  if (event.error) message.set("error", error_to_json(*event.error, event.retry_after_ms));
  message.set("usage", usage_to_json(event.usage));
  message.set("timings", timings_to_json(event.timings));
  return message;
}

}  // namespace troupe::zmq_door
