#pragma once
#include "troupe/actors/messages.h"

#include <caf/all.hpp>

#include <functional>
#include <map>
#include <string>

namespace troupe::actors {

/// Watches the shells of a pipeline. A shell replaces its plugin's object by itself, within its
/// restart budget; what comes here is an operator that cannot go on, or a shell that died, which is
/// a fault of ours.
class Supervisor final : public caf::event_based_actor {
 public:
  /// Called for each operator that stopped for good; `shell_died` when its actor is gone.
  using OnFailure =
      std::function<void(const std::string& operator_name, const Error& error, bool shell_died)>;

  Supervisor(caf::actor_config& config, std::map<caf::actor_addr, std::string> shells,
             OnFailure on_failure);
  caf::behavior make_behavior() override;

 private:
  std::map<caf::actor_addr, std::string> shells_;
  OnFailure on_failure_;
};

}  // namespace troupe::actors
