#pragma once
#include "troupe/actors/shell.h"
#include "troupe/api/router.h"

#include <atomic>
#include <unordered_map>

namespace troupe::actors {

/// Owns a router: sends each request to the operator it chooses, and counts what is under way there
/// when the events come back through it.
class RouterShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_request(std::shared_ptr<Request> request);
  void on_events(std::vector<TokenEvent> events);
  std::vector<ReplicaState> replicas() const;

  std::vector<std::int64_t> in_flight_;                // by index into outlets().requests
  std::unordered_map<RequestId, std::size_t> chosen_;  // of requests under way
};

}  // namespace troupe::actors
