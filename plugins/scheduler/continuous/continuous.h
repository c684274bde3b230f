#pragma once
#include "batch.h"
#include "options.h"
#include "sequence.h"
#include "troupe/api/scheduler.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::continuous {

/// Continuous batching in order of arrival: each step has the next token of every running sequence,
/// then chunks of prompts in what is left of the step's tokens. When blocks run out, the sequence
/// that arrived last gives back its own and is computed again later, before all that came after it.
///
/// Preemption cannot go in circles: a preempted sequence comes back only after another one left the
/// batch for good, and then wants blocks for its whole length at once.
/// A step that fails puts its sequences under suspicion: each then runs alone until it is past the
/// place of the failure, so that one request that breaks steps ends alone.
class ContinuousScheduler final : public Scheduler {
 public:
  Result<void> configure(const Params& params) override { return options_.read(params); }
  Result<void> start(Resources& resources) override;
  void stop() noexcept override;

  void admit(TokenizedRequestPtr request, Time now, EventSink& events) override;
  void cancel(RequestId request, std::optional<Error> error, Time now, EventSink& events) override;
  bool has_work() const override;
  void want(Time now, BlockRequest& out) override;
  void plan(const BlockGrant& grant, Time now, StepPlan& out, EventSink& events) override;
  void complete(const StepResult& result, const SampledTokens& sampled, Time now,
                EventSink& events) override;
  void step_lost(Time now) override;
  std::optional<Time> next_deadline() const override;
  void expire(Time now, EventSink& events) override;
  Journal journal() const override;
  Result<void> restore(Journal journal, Time now) override;
  SchedulerStats stats() const override;
  Result<void> check() const override;

 private:
  using Groups = std::unordered_map<RequestId, std::unique_ptr<Group>>;

  // Life of a request.
  void enter(std::unique_ptr<Group> group);
  double retry_after_ms() const;
  void count_end(FinishReason finish, Time now);
  /// Ends every open choice with one event.
  void end(Group& group, FinishReason finish, std::optional<Error> error, Time now,
           EventSink& events);
  /// Takes a sequence out of its queue for good.
  void leave(Sequence& sequence, FinishReason finish);
  /// Forgets a request that has had its last event; its memory lives until the next want.
  void bury(Group& group);

  // Putting a step together.
  void share_out(BlockRequest& out);
  void add_share(Sequence& sequence, std::int32_t most, bool admission, BlockRequest& out);
  bool may_return(const Sequence& sequence) const;
  Sequence* first_suspect();
  bool take_grant(Share& share, const BlockGrant::Grant& grant, Time now, EventSink& events);
  void refuse_grant(Share& share, const BlockGrant::Grant& grant);
  void start_running(Sequence& sequence);
  /// Preempts sequences, the last arrival first, until the blocks they give back make up for what
  /// is short. A sequence that is short itself may be among them.
  void make_room(Time now, EventSink& events);
  void preempt(Sequence& sequence, bool for_room);

  // What became of it.
  void accept(Sequence& sequence, const SampledToken& sampled, Time now, EventSink& events);
  void advance(Sequence& sequence, TokenId token, Time now, EventSink& events);
  void fail_step(const Error& error, Time now, EventSink& events);
  /// Puts the step's sequences under suspicion; returns the one that was already, if it was alone.
  Sequence* suspect_shares();
  void requeue_all();

  Result<void> check_queues() const;
  Result<void> check_blocks() const;

  Options options_;
  Groups groups_;
  std::vector<std::unique_ptr<Group>> buried_;
  std::deque<Sequence*> waiting_;   // in order of arrival
  std::vector<Sequence*> running_;  // in order of arrival
  std::vector<BlockRequest::Release> releases_;
  std::set<std::pair<Time, RequestId>> deadlines_;

  std::vector<Share> shares_;  // of the step under way
  std::int64_t budget_ = 0;    // tokens left in the step being put together
  std::int64_t short_of_ = 0;  // blocks that running sequences lacked in this turn
  bool head_blocked_ = false;  // the first in line found no room: ask for it alone
  bool under_way_ = false;

  std::uint64_t arrivals_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::int64_t left_ = 0;  // sequences that left the batch for good
  std::int64_t suspects_ = 0;
  std::optional<Time> last_end_;
  double ms_per_end_ = 0;  // smoothed time between two ends
  SchedulerStats stats_;
};

}  // namespace troupe::continuous
