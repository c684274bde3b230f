#pragma once
#include "troupe/api/params.h"
#include "troupe/scheduling/policy.h"

#include <chrono>
#include <limits>
#include <string>
#include <unordered_map>

namespace troupe::continuous {

/// First come, first served: the library's own order.
class FirstCome final : public scheduling::Policy {};

/// The larger priority first. Waiting adds a level every `ageing_ms`, so that nobody waits for
/// ever: one that came so much earlier stands before one whose priority is so many levels higher.
/// Its place never changes thereby, since all age alike.
class ByPriority final : public scheduling::Policy {
 public:
  ByPriority(double ageing_ms, bool preempts) : ageing_ms_(ageing_ms), preempts_(preempts) {}

  double rank(const scheduling::Group& group) const override {
    const auto& request = group.params();
    const std::chrono::duration<double, std::milli> arrived =
        request.context->arrived.time_since_epoch();
    return arrived.count() - ageing_ms_ * request.priority;
  }

  /// Age decides who is next, and never alone who must stop. That the one who waits has the smaller
  /// rank as well keeps two from stopping each other in turn: ranks do not change.
  bool may_displace(const scheduling::Group& waiting,
                    const scheduling::Group& running) const override {
    return preempts_ && waiting.params().priority > running.params().priority &&
           waiting.rank < running.rank;
  }

  bool serves_priority() const override { return true; }

 private:
  const double ageing_ms_;
  const bool preempts_;
};

/// The earliest deadline first; those without one come last, in order of arrival.
class EarliestDeadline final : public scheduling::Policy {
 public:
  double rank(const scheduling::Group& group) const override {
    const auto& deadline = group.params().deadline;
    if (!deadline) return std::numeric_limits<double>::infinity();
    return std::chrono::duration<double, std::milli>(deadline->time_since_epoch()).count();
  }
};

/// The tenant that has had the fewest tokens for its weight comes first.
class FairShare final : public scheduling::Policy {
 public:
  /// `weights`: entries "tenant=weight". Errors: invalid_argument, with the entry.
  static Result<std::unique_ptr<scheduling::Policy>> make(const std::vector<std::string>& weights);

  std::string_view lane(const Request& request) const override { return request.tenant; }
  double weight(std::string_view lane) const override {
    const auto found = weights_.find(std::string(lane));
    return found == weights_.end() ? 1 : found->second;
  }

 private:
  std::unordered_map<std::string, double> weights_;
};

}  // namespace troupe::continuous
