#pragma once
#include "troupe/api/scheduler.h"
#include "troupe/scheduling/line.h"
#include "troupe/scheduling/options.h"
#include "troupe/scheduling/policy.h"
#include "troupe/scheduling/sequence.h"
#include "troupe/scheduling/step_cost.h"
#include "troupe/scheduling/step_share.h"

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::scheduling {

/// Batching of iterations under a policy: each step has the next token of every running sequence,
/// then chunks of prompts in what is left of the step. When blocks run out, the last in rank gives
/// back its own and goes on later. A scheduler plugin derives from it and says whose turn it is.
///
/// Preemption cannot go in circles: ranks never change, and a preempted sequence comes back only
/// after another one left the batch for good, and then wants blocks for its whole length at once.
/// A step that fails puts its sequences under suspicion: each then runs alone until it is past the
/// place of the failure, so that one request that breaks steps ends alone.
class BatchScheduler : public Scheduler {
 public:
  /// `name`: of the plugin, for messages.
  explicit BatchScheduler(std::string name) : name_(std::move(name)) {}

  Result<void> configure(const Params& params) final;
  Result<void> start(Resources& resources) final;
  void stop() noexcept final;

  void admit(TokenizedRequestPtr request, Time now, EventSink& events) final;
  void cancel(RequestId request, std::optional<Error> error, Time now, EventSink& events) final;
  bool has_work() const final;
  void want(Time now, BlockRequest& out) final;
  void plan(const BlockGrant& grant, Time now, StepPlan& out, EventSink& events) final;
  void complete(const StepResult& result, const SampledTokens& sampled, Time now,
                EventSink& events) final;
  void step_lost(Time now) final;
  std::optional<Time> next_deadline() const final;
  void expire(Time now, EventSink& events) final;
  Journal journal() const final;
  Result<void> restore(Journal journal, Time now) final;
  SchedulerStats stats() const final;
  Result<void> check() const final;

 private:
  /// The policy, from the plugin's own parameters. Errors: invalid_argument.
  virtual Result<std::unique_ptr<Policy>> make_policy(const Params& params,
                                                      const Options& options) = 0;

  using Groups = std::unordered_map<RequestId, std::unique_ptr<Group>>;

  /// Blocks that a sequence gave back since the last want.
  struct Leaving {
    SequenceId id;
    AfterRelease after = AfterRelease::share;
    const Sequence* sequence = nullptr;  // whose `num_computed` first tokens may be shared
    std::int32_t num_computed = 0;
  };

  // Life of a request.
  Result<void> check_room(const TokenizedRequest& request, Time now, double& retry_after_ms) const;
  Result<void> check_deadline(const TokenizedRequest& request, Time now) const;
  std::optional<double> estimate_first_token_ms(const TokenizedRequest& request) const;
  void enter(std::unique_ptr<Group> group);
  /// Puts a group's choices in line; where several begin, all but the first follow it.
  void line_up(Group& group);
  double retry_after_ms(std::int64_t num_ends) const;
  void count_end(FinishReason finish, Time now);
  /// Ends every open choice with one event.
  void end(Group& group, FinishReason finish, std::optional<Error> error, Time now,
           EventSink& events);
  /// Takes a sequence out of its queue for good.
  void leave(Sequence& sequence, FinishReason finish);
  /// Forgets a request that has had its last event. Its memory lives as long as the turn under way,
  /// or the releases of the next one, may speak of it.
  void bury(Group& group);
  void end_turn();

  // Putting a step together.
  void give_back(BlockRequest& out);
  void publish(Sequence& sequence, BlockRequest& out);
  /// Stops running sequences that the first in line may displace, if that makes room for it.
  void displace();
  void share_out(BlockRequest& out);
  void share_waiting(BlockRequest& out);
  std::int64_t prefill_limit(std::int64_t num_decoding) const;
  /// Returns the tokens given.
  std::int32_t add_share(Sequence& sequence, std::int64_t most, BlockRequest& out);
  bool may_return(const Sequence& sequence) const;
  Sequence* first_suspect();
  void take_grants(const BlockGrant& grant, Time now, EventSink& events);
  bool take_grant(Share& share, const BlockGrant::Grant& grant, Time now, EventSink& events);
  bool is_refused(Share& share, const BlockGrant::Grant& grant, Time now, EventSink& events);
  void refuse_grant(Share& share, const BlockGrant::Grant& grant);
  void start_running(Sequence& sequence, std::int32_t num_cached);
  void erase_running(Sequence& sequence);
  Sequence& next_to_go() const;
  /// Preempts sequences, the last in rank first, until the blocks they give back make up for what
  /// is short. A sequence that is short itself may be among them.
  void make_room(Time now, EventSink& events);
  /// Stops a running sequence, to go on later.
  enum class Cause : std::uint8_t { room, fault };
  void preempt(Sequence& sequence, Cause cause);
  bool swap_is_cheaper(const Sequence& sequence) const;

  // What became of it.
  void take_outcome(const StepResult& result, const SampledTokens& sampled, Time now,
                    EventSink& events);
  void learn(const StepTimings& timings);
  void take_failures(const StepResult& result, Time now, EventSink& events);
  void lose(SequenceId id);
  Sequence* find_share(SequenceId id);
  /// False when that was all there is to the request, or it ended with an error.
  bool take_prompt_scores(const Share& share, std::span<const SampledToken> scored, Time now,
                          EventSink& events);
  void take_tokens(const Share& share, const SampledToken* tokens, Time now, EventSink& events);
  void count_computed(Sequence& sequence, std::int32_t num_tokens);
  void accept(Sequence& sequence, const SampledToken& sampled, Time now, EventSink& events);
  std::optional<Error> fault_of(const Sequence& sequence, const SampledToken& sampled) const;
  void advance(Sequence& sequence, TokenId token, Time now, EventSink& events);
  void fail_step(const Error& error, Time now, EventSink& events);
  /// Puts the step's sequences under suspicion; returns the one that was already, if it was alone.
  Sequence* suspect_shares();
  void requeue_all();

  Result<void> check_queues() const;
  Result<void> check_blocks() const;

  const std::string name_;
  Options options_;
  std::unique_ptr<Policy> policy_;
  StepCost cost_;
  std::int64_t tried_prefill_ = 0;  // most prompt tokens that a step with decoding ones had

  Groups groups_;
  std::vector<std::unique_ptr<Group>> buried_;  // since the last want
  std::vector<std::unique_ptr<Group>> dying_;   // the last want speaks of them
  Line line_;
  std::vector<Sequence*> running_;  // by rank
  std::vector<Leaving> leaving_;
  std::set<std::pair<Time, RequestId>> deadlines_;

  std::vector<Share> shares_;       // of the step under way
  StepCost::Step step_;             // what it has
  std::int64_t budget_ = 0;         // tokens left in the step being put together
  std::int64_t short_of_ = 0;       // blocks that running sequences lacked in this turn
  std::int64_t head_short_of_ = 0;  // blocks the first in line lacked; > 0: ask for it alone
  bool room_may_come_ = false;      // blocks move in this step: those that are short may wait
  bool in_turn_ = false;            // from a want to the step's end, or to a plan without a step
  bool under_way_ = false;
  bool last_step_failed_ = false;

  std::uint64_t arrivals_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::int64_t following_ = 0;  // sequences that follow a leader
  std::int64_t left_ = 0;       // sequences that left the batch for good
  std::int64_t suspects_ = 0;
  std::optional<Time> last_end_;
  double ms_per_end_ = 0;  // smoothed time between two ends
  SchedulerStats stats_;
};

}  // namespace troupe::scheduling
