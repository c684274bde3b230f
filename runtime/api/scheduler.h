#pragma once
#include "troupe/api/blocks.h"
#include "troupe/api/event.h"
#include "troupe/api/step.h"
#include "troupe/api/tokenizer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A sequence as it can be rebuilt anywhere: prompt, parameters, seed and tokens so far. A request
/// has one entry per choice, finished ones too as long as another one goes on.
struct JournalEntry {
  TokenizedRequestPtr request;
  std::int32_t choice = 0;
  std::vector<TokenId> output_ids;
  std::size_t tokens_sent = 0;               // how many of output_ids the client has
  FinishReason finish = FinishReason::none;  // of the choice
  std::vector<float> surprises;              // one per token of output_ids, with mirostat
  // Of the request, the same in all its entries:
  std::uint64_t events_sent = 0;
  bool prompt_scores_sent = false;
  std::int64_t cached_tokens = 0;
  std::optional<Time> first_scheduled;
  std::optional<Time> first_token;
};

struct Journal {
  std::vector<JournalEntry> entries;  // in order of arrival
};

/// Where a scheduler puts the events of a turn.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void emit(TokenEvent event) = 0;
};

struct SchedulerStats {
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t accepted = 0;
  std::int64_t refused = 0;
  std::int64_t finished = 0;  // stop or length
  std::int64_t cancelled = 0;
  std::int64_t failed = 0;  // ended by an error after acceptance
  std::int64_t preemptions = 0;
  std::int64_t swaps = 0;              // of the preemptions, those by swap
  std::int64_t lost = 0;               // sequences that had to be computed again
  std::int64_t recomputed_tokens = 0;  // computed before already
  std::int64_t steps = 0;
  std::int64_t scheduled_tokens = 0;
};

/// Decides who runs in the next step and with how many tokens; keeps the journal. A pure state
/// machine: it decides, and others do. Single owner.
///
/// A step is: want -> (cache: reserve) -> plan -> (executor, sampler) -> complete. At most one step
/// is under way. After the last event of a request, all it held is in the next BlockRequest's
/// releases.
class Scheduler : public Operator {
 public:
  /// Takes a request, or refuses it: then the terminal event goes to `events` at once.
  virtual void admit(TokenizedRequestPtr request, Time now, EventSink& events) = 0;

  /// Ends a request with FinishReason::cancelled (or with `error`), whatever state it is in.
  /// Unknown or finished ids are ignored.
  virtual void cancel(RequestId request, std::optional<Error> error, Time now,
                      EventSink& events) = 0;

  /// Whether want would ask for anything: work that can run, or blocks to give back.
  virtual bool has_work() const = 0;

  /// What the next step would like. `out` is cleared first.
  virtual void want(Time now, BlockRequest& out) = 0;

  /// The step, from what the cache granted. `out` is cleared first. When nothing can run now and
  /// there are no memory operations, it is empty, and then the step is over: complete is not
  /// called.
  virtual void plan(const BlockGrant& grant, Time now, StepPlan& out, EventSink& events) = 0;

  /// Takes the step's outcome. With result.error set, sequences of the step go back to their
  /// journal and are computed again.
  virtual void complete(const StepResult& result, const SampledTokens& sampled, Time now,
                        EventSink& events) = 0;

  /// The executor died: every sequence goes back to its journal, all blocks are gone.
  virtual void step_lost(Time now) = 0;

  /// Earliest time at which a deadline or a timer needs a turn, if there is one.
  virtual std::optional<Time> next_deadline() const = 0;
  virtual void expire(Time now, EventSink& events) = 0;

  virtual Journal journal() const = 0;
  virtual Result<void> restore(Journal journal, Time now) = 0;
  virtual SchedulerStats stats() const = 0;
  /// Compares the books. Errors: internal, with what does not add up.
  virtual Result<void> check() const = 0;
};

}  // namespace troupe
