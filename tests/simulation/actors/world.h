#pragma once
#include "block_books.h"
#include "dice.h"
#include "fault.h"
#include "troupe/api/check.h"
#include "troupe/api/executor_info.h"
#include "troupe/api/scheduler.h"
#include "troupe/testing/allocations.h"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace troupe::simulation {

class Clients;

/// What an operator of the simulation throws.
class PlantedFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A fingerprint of everything that happens, in its order.
class Trace {
 public:
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void add(Number number) {
    const auto value = static_cast<std::uint64_t>(number);
    hash_ = (hash_ ^ value) * 0x100000001b3 + (hash_ >> 29);
  }
  void add(std::string_view text) {
    for (const char c : text)
      add(static_cast<unsigned char>(c));
  }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// What the simulation knows of one token loop.
struct Loop {
  BlockBooks books;
  Scheduler* scheduler = nullptr;  // the present one
  KvCache* cache = nullptr;
  std::function<void()> finish_step;  // of a step whose outcome is late
  int empty_plans = 0;                // in a row, with nothing given back
  bool held_back = false;             // its events have nowhere to go
  /// Nothing is on its way and nothing but time has passed since: a step that runs now has waited
  /// for no reason.
  bool only_time_passes = false;
};

/// What all parts of one run share: its dice, its faults, and what was found to be wrong.
class World {
 public:
  static constexpr std::size_t kNumLoops = 2;

  World(std::uint64_t seed, const PerFault& rates, ExecutorInfo executor)
      : dice(seed), info(std::move(executor)), rates_(rates) {}

  /// Whether a fault is to happen here.
  bool wants(Fault fault) { return faults_on && dice.in_thousand(static_cast<int>(rates_[fault])); }
  /// The same, and counts it.
  bool fires(Fault fault) {
    if (!wants(fault)) return false;
    count(fault);
    return true;
  }
  void count(Fault fault) {
    ++counts[fault];
    note("fault: ", kFaultNames[static_cast<std::size_t>(fault)]);
  }

  /// Something that happened: part of the trace, and of the log if there is one.
  template <class... Parts>
  void note(const Parts&... parts) {
    (trace.add(parts), ...);
    if (!log) return;
    (*log << ... << parts);
    *log << '\n';
  }

  /// Calls into an operator, where it may throw instead, before its work or after it, or run out of
  /// memory in it. At most `most` requests may end for that.
  template <class Function>
  auto call(Fault throws, std::int64_t most, Function&& function) {
    if (fires(throws)) {
      if (dice.one_in(2)) static_cast<void>(function());
      throw PlantedFault(plant(most));
    }
    try {
      if (!wants(Fault::allocation_fails)) return function();
      const testing::FailingAllocation failing(dice.from(1, 10));
      return function();
    } catch (const std::bad_alloc&) {
      count(Fault::allocation_fails);
      excuse("bad_alloc", most);
      throw;
    } catch (const CheckFailure& failure) {
      wrong(failure.what());
      throw;
    }
  }

  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  /// At most `most` requests may end with an error whose message has this text in it.
  void excuse(std::string text, std::int64_t most) { excuses_.push_back({std::move(text), most}); }
  /// Excuses a text that is found nowhere else, and returns it.
  std::string plant(std::int64_t most);
  /// Whether a request may end with this error; uses the excuse up.
  bool excuses(const Error& error);

  /// From now on everything is as if nothing were on its way but what is just being sent.
  void something_happens() {
    for (auto& loop : loops)
      loop.only_time_passes = false;
  }

  /// The first thing that was wrong stays; empty = nothing was.
  void wrong(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }
  void wrong_unless_empty(const std::string& what) {
    if (!what.empty()) wrong(what);
  }
  const std::string& fault() const { return fault_; }

  Loop& loop_of(const ExecutorInfo& executor) { return loops.at(executor.device == "b" ? 1 : 0); }

  Dice dice;
  ExecutorInfo info;
  bool faults_on = false;
  PerFault counts;
  Trace trace;
  std::ostream* log = nullptr;
  std::array<Loop, kNumLoops> loops;
  Clients* clients = nullptr;

 private:
  struct Excuse {
    std::string text;
    std::int64_t most = 0;
  };

  PerFault rates_;
  std::string fault_;
  std::vector<Excuse> excuses_;
  int num_planted_ = 0;
};

}  // namespace troupe::simulation
