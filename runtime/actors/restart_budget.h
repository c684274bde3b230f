#pragma once
#include "troupe/api/request.h"
#include "troupe/pipeline/pipeline_spec.h"

#include <cstdint>
#include <deque>

namespace troupe::actors {

/// How often an operator may be restarted: at most `max` times within any `window_s` seconds.
class RestartBudget {
 public:
  explicit RestartBudget(pipeline::RestartSpec spec) : spec_(spec) {}

  /// Whether one more restart is allowed at `now`; counts it if so.
  bool take(Time now) {
    if (spec_.policy == pipeline::RestartPolicy::never) return false;
    const auto window = std::chrono::seconds(spec_.window_s);
    while (!restarts_.empty() && now - restarts_.front() >= window)
      restarts_.pop_front();
    if (static_cast<std::int64_t>(restarts_.size()) >= spec_.max) return false;
    restarts_.push_back(now);
    return true;
  }

  const pipeline::RestartSpec& spec() const { return spec_; }

 private:
  pipeline::RestartSpec spec_;
  std::deque<Time> restarts_;
};

}  // namespace troupe::actors
