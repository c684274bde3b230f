#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe::simulation {

/// What can go wrong in a run.
enum class Fault : std::uint8_t {
  // of clients
  client_cancels,
  cancels_again,    // the same request once more, ended or not, or one that never was
  client_vanishes,  // the door throws when it is to deliver
  client_retries,   // what failed is sent again, at once
  same_client_id,
  deadline,
  // of messages
  overtaking,    // an actor that became ready later runs first
  late_message,  // an actor is not run for a long time
  slow_reader,   // the door is not run for a long time
  queue_full,
  clock_jump,
  // of the executor
  step_error,
  row_failure,
  executor_throws,
  executor_late,  // the step's outcome comes long after submit returned
  swap_out_fails,
  swap_in_fails,
  // of the other operators
  pool_full,
  cache_throws,
  scheduler_trusts,  // leaves it to the cache what a failed step should have filled
  scheduler_throws,
  gives_up_late_step,  // the scheduler throws while the accelerator computes
  sampler_throws,
  sampler_miscounts,
  sampler_lies,  // ids that cannot be, or another sequence's
  encode_throws,
  decode_throws,
  stage_throws,
  stage_throws_on_event,
  stage_refuses,
  router_throws,
  router_lies,  // chooses what is not there
  // of anything
  allocation_fails,  // the n-th one in a call of an operator
  restart_fails,
  budget_spent,
  actor_dies,
  shutdown,
};

inline constexpr std::string_view kFaultNames[] = {"client cancels",
                                                   "cancels again",
                                                   "client vanishes",
                                                   "client retries",
                                                   "same client id",
                                                   "deadline",
                                                   "overtaking",
                                                   "late message",
                                                   "slow reader",
                                                   "queue full",
                                                   "clock jump",
                                                   "step error",
                                                   "row failure",
                                                   "executor throws",
                                                   "executor late",
                                                   "swap out fails",
                                                   "swap in fails",
                                                   "pool full",
                                                   "cache throws",
                                                   "scheduler trusts",
                                                   "scheduler throws",
                                                   "gives up late step",
                                                   "sampler throws",
                                                   "sampler miscounts",
                                                   "sampler lies",
                                                   "encode throws",
                                                   "decode throws",
                                                   "stage throws",
                                                   "stage throws on event",
                                                   "stage refuses",
                                                   "router throws",
                                                   "router lies",
                                                   "allocation fails",
                                                   "restart fails",
                                                   "restart budget spent",
                                                   "actor dies",
                                                   "shutdown"};
inline constexpr std::size_t kNumFaults = std::size(kFaultNames);
static_assert(kNumFaults == static_cast<std::size_t>(Fault::shutdown) + 1);

/// A number for each kind of fault.
class PerFault {
 public:
  std::int64_t& operator[](Fault fault) { return values_[static_cast<std::size_t>(fault)]; }
  std::int64_t operator[](Fault fault) const { return values_[static_cast<std::size_t>(fault)]; }
  void add(const PerFault& other) {
    for (std::size_t i = 0; i < kNumFaults; ++i)
      values_[i] += other.values_[i];
  }

 private:
  std::array<std::int64_t, kNumFaults> values_{};
};

}  // namespace troupe::simulation
