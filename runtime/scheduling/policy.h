#pragma once
#include "troupe/scheduling/sequence.h"

#include <cstdint>
#include <string_view>

namespace troupe::scheduling {

/// What a policy sees when a turn begins.
struct TurnView {
  Time now{};
  std::int64_t num_running = 0;
  std::int64_t num_waiting = 0;
  std::uint64_t last_arrival = 0;  // Group::arrival of the request accepted last
};

/// Who is served first: all that one scheduler of this library decides otherwise than another.
/// The BatchScheduler calls it from one thread; whatever it answers, no token of any request
/// changes, and the first in line is never overtaken for want of room. See docs/scheduling.md.
class Policy {
 public:
  virtual ~Policy() = default;

  /// Place in line: the smaller rank is served first; of equal ranks, who arrived first. When room
  /// runs out, the largest rank gives way. Asked once, when the request arrives.
  virtual double rank(const Group& group) const {
    static_cast<void>(group);
    return 0;
  }

  /// The line the request waits in. The line whose requests had the fewest tokens so far, for its
  /// weight, is served next. With one line for all, only the ranks count.
  virtual std::string_view lane(const Request& request) const {
    static_cast<void>(request);
    return {};
  }
  /// > 0: share of tokens due to a lane, in proportion to those of the others.
  virtual double weight(std::string_view lane) const {
    static_cast<void>(lane);
    return 1;
  }

  /// Whether a running request may be stopped, to go on later, so that one that waits can start.
  /// Pre: `waiting` is first in line and finds no room. It must be a strict order (never true both
  /// ways, nor around a circle) and agree with the ranks, or the two stop each other for ever.
  virtual bool may_displace(const Group& waiting, const Group& running) const {
    static_cast<void>(waiting);
    static_cast<void>(running);
    return false;
  }

  /// Whether Request::priority means something; else requests that have one are refused.
  virtual bool serves_priority() const { return false; }

  /// Called once per turn, before anything else.
  virtual void begin_turn(const TurnView& view) { static_cast<void>(view); }
  /// Whether the first in line may start in this turn, if there is room. No one behind it may when
  /// it may not.
  virtual bool may_start(const Sequence& first) const {
    static_cast<void>(first);
    return true;
  }
  /// The sequence started, for the first time or after it had been stopped.
  virtual void started(const Sequence& sequence) { static_cast<void>(sequence); }
  /// The first in line found no room.
  virtual void no_room() {}
};

}  // namespace troupe::scheduling
