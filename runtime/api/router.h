#pragma once
#include "troupe/api/operator.h"
#include "troupe/api/request.h"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// What a router knows of one operator it may choose.
struct ReplicaState {
  std::string_view name;       // the operator's name in the pipeline
  std::int64_t in_flight = 0;  // requests sent there that have not ended
};

/// Picks where a request goes.
class Router : public Operator {
 public:
  /// Index into `replicas`. Errors: not_found, with what was asked for and what there is.
  virtual Result<std::size_t> choose(const Request& request,
                                     std::span<const ReplicaState> replicas) = 0;
};

}  // namespace troupe
