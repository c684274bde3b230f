#pragma once
#include "troupe/scheduling/policy.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::scheduling {

/// The requests of one tenant, or of all: those that wait, and what all of them have had.
struct Lane {
  std::string name;
  double per_token = 1;         // 1 / weight
  double used = 0;              // tokens computed for it, divided by its weight
  std::int64_t num_groups = 0;  // requests waiting or running
  std::set<Sequence*, ServedBefore> waiting;
  // Of the walk under way:
  std::set<Sequence*, ServedBefore>::const_iterator cursor{};
  double taken = 0;
};

/// Those that wait, in the order in which they are to be served: within a lane by rank and arrival;
/// among lanes, the one that has used least comes first. A lane that comes back after having been
/// idle does not get what it left unused.
/// Source: Sheng et al., "Fairness in Serving Large Language Models", OSDI 2024 (virtual token
/// counter).
class Line {
 public:
  /// Idle lanes remembered; beyond, those that used least are forgotten.
  static constexpr std::size_t kMostLanes = 1024;

  void set_policy(Policy* policy) { policy_ = policy; }
  void clear();

  /// Finds the lane of a request that arrives, and counts it in. leave is its counterpart.
  void enter(Group& group);
  void leave(Group& group);

  void push(Sequence& sequence);
  void remove(Sequence& sequence);
  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Tokens of all who wait.
  std::int64_t num_tokens() const { return num_tokens_; }
  /// Requests of a lane that wait, counted in sequences; 0 for one that is not there.
  std::int64_t num_waiting_in(std::string_view lane) const;

  /// Counts tokens computed for a lane.
  void charge(Group& group, std::int64_t num_tokens) {
    group.lane->used += static_cast<double>(num_tokens) * group.lane->per_token;
  }

  /// A walk along the line, nobody leaving it: begin_walk, then first; each take moves on by one,
  /// as if so many tokens had been computed for that one. nullptr = the end.
  void begin_walk();
  Sequence* first() const;
  void take(std::int64_t num_tokens);

  /// The first for whom `is` holds; nullptr without one.
  Sequence* find(const std::function<bool(const Sequence&)>& is) const;

  /// Errors: internal, when the lanes and the counts differ.
  Result<void> check() const;

 private:
  Lane* next_lane() const;
  Lane& lane_of(std::string_view name);
  double least_used() const;
  void forget_idle();

  Policy* policy_ = nullptr;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::int64_t size_ = 0;
  std::int64_t num_tokens_ = 0;
};

}  // namespace troupe::scheduling
