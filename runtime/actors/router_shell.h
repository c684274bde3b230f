#pragma once
#include "troupe/actors/shell.h"
#include "troupe/api/router.h"

#include <caf/all.hpp>

#include <memory>
#include <vector>

namespace troupe::actors {

/// Owns a router: sends each request to the operator it chooses, and counts what is under way
/// there.
class RouterShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_request(std::shared_ptr<Request> request);
  std::vector<ReplicaState> replicas();

  /// Per operator, the requests sent there. A context is gone once nobody works on its request any
  /// more, whichever way it ended.
  std::vector<std::vector<std::weak_ptr<RequestContext>>> under_way_;
};

}  // namespace troupe::actors
