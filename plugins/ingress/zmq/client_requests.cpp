#include "client_requests.h"

#include "troupe/core/event_json.h"
#include "wire.h"

#include <utility>

namespace troupe::zmq_door {

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
  auto& answer = request.answer;
  answer.add(event);
  if (!event.last) return std::nullopt;
  Value message;
  message.set("id", request.id);
  message.set("event", "end");
  message.set("choices", choices_to_value(answer));
  if (!answer.prompt_scores.empty())
    message.set("prompt_logprobs",
                prompt_scores_to_json(answer.prompt_scores, answer.tokens.get()));
  if (event.error)
    message.set("error", error_to_json(short_error(*event.error), event.retry_after_ms));
  message.set("usage", usage_to_json(event.usage));
  message.set("timings", timings_to_json(event.timings));
  return message;
}

}  // namespace troupe::zmq_door
