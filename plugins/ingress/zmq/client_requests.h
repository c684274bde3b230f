#pragma once
#include "connections.h"
#include "troupe/api/event.h"
#include "troupe/core/answer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::zmq_door {

/// A request of a client, under way. `identity` is the client's, as the ROUTER socket gives it.
struct ClientRequest {
  std::string identity;
  std::string id;
  bool stream = false;
  ConnectionId connection = 0;
  Answer answer{};  // of a request that does not stream, so far
  // What found no room in the client's queue and is tried again.
  std::vector<TokenEvent> unsent{};  // of a request that streams: one event a choice, see join
  std::string unsent_end{};          // of one that does not
  std::uint64_t next_number = 0;     // of the events that were sent
};

/// The requests under way, by the runtime's id and by client and the client's id. One thread.
class ClientRequests {
 public:
  bool contains(const std::string& identity, const std::string& id) const {
    return by_client_.contains({identity, id});
  }
  std::optional<RequestId> find(const std::string& identity, const std::string& id) const;
  std::size_t count(const std::string& identity) const;
  std::vector<RequestId> all_of(const std::string& identity) const;
  std::vector<RequestId> all_of(ConnectionId connection) const;
  std::vector<RequestId> all() const;

  void add(RequestId request, ClientRequest entry);
  ClientRequest* find(RequestId request);
  void remove(RequestId request);
  std::size_t size() const { return by_id_.size(); }

 private:
  std::unordered_map<RequestId, ClientRequest> by_id_;
  std::map<std::pair<std::string, std::string>, RequestId> by_client_;
};

/// Adds an event to a request that does not stream, in time that does not grow with what came
/// before; with the last event, the message for the client.
std::optional<Value> collect(ClientRequest& request, const TokenEvent& event);

}  // namespace troupe::zmq_door
