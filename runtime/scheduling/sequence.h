#pragma once
#include "troupe/api/event.h"
#include "troupe/api/scheduler.h"
#include "troupe/core/stop_matcher.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace troupe::scheduling {

struct Group;
struct Lane;

enum class State : std::uint8_t { waiting, running, finished };

/// One choice of a request: the tokens so far and how far they are computed.
struct Sequence {
  // What every step looks at comes first: a step walks through all sequences.
  SequenceId id;
  Group* group = nullptr;
  std::int32_t choice = 0;
  State state = State::waiting;
  FinishReason finish = FinishReason::none;
  std::int32_t num_computed = 0;  // positions whose keys and values lie in `blocks`
  std::vector<TokenId> ids;       // prompt, then output
  std::vector<BlockId> blocks;    // empty unless running
  std::uint64_t seed = 0;

  std::int32_t num_published = 0;  // positions that the cache may share
  std::int32_t num_charged = 0;    // positions computed at least once: nobody pays twice
  std::int32_t first_held = 0;     // blocks before this one left the sliding window
  bool swapped = false;            // waiting, with content in a lower tier
  bool untrusted = false;          // what its blocks hold may be wrong: nobody is to have it
  /// Waiting in no line: its group's leader computes the prompt for it.
  bool follows = false;

  std::vector<float> surprises;           // one per output token, with mirostat
  std::optional<StopMatcher> matcher;     // when the request has stop strings
  std::size_t tokens_sent = 0;            // of the output
  std::vector<TokenScore> unsent_scores;  // one per unsent token, when asked for
  std::vector<TokenScore> prompt_scores;  // of the prompt's tokens so far, until they are sent

  /// Preempted when so many sequences had left the batch; it comes back once there are more, for
  /// only then is there more room than before. -1 = not preempted.
  std::int64_t preempted_at = -1;
  /// Above 0: a step that was to compute it up to here failed. It runs alone until it is past.
  std::int32_t suspect_until = 0;
  /// It made a step fail alone: the request ends with this.
  std::optional<Error> condemned;

  std::int32_t num_tokens() const { return static_cast<std::int32_t>(ids.size()); }
  std::int32_t num_uncomputed() const { return num_tokens() - num_computed; }
};

/// A request: its choices, and what they share.
struct Group {
  // Copies of what every step asks of the request, which lies elsewhere.
  std::size_t num_prompt = 0;
  std::int64_t min_tokens = 0;
  bool wants_logprobs = false;
  bool has_mirostat = false;

  TokenizedRequestPtr request;
  std::uint64_t arrival = 0;        // counts accepted requests
  double rank = 0;                  // Policy::rank
  Lane* lane = nullptr;             // where it waits
  std::vector<Sequence> sequences;  // one per choice; does not grow
  /// Computes the prompt for the choices that follow it; each takes a copy of its table then.
  Sequence* leader = nullptr;
  std::int32_t num_open = 0;      // choices that go on
  std::int32_t max_tokens = 0;    // length at which a choice ends, prompt included
  std::vector<TokenId> stop_ids;  // every token that ends a choice, ascending
  std::shared_ptr<const StopStrings> stop_strings;  // none = nullptr

  std::uint64_t events_sent = 0;
  bool prompt_scores_sent = false;
  std::int64_t cached_tokens = 0;
  std::optional<Time> first_scheduled;
  std::optional<Time> first_token;
  Time last_token{};

  const Request& params() const { return *request->request; }
  RequestId id() const { return params().context->id; }
  std::size_t num_prompt_tokens() const { return num_prompt; }
  std::size_t num_output_tokens(const Sequence& sequence) const {
    return sequence.ids.size() - num_prompt_tokens();
  }
  /// Whether the logits after every token of the prompt are still wanted of this choice: of the
  /// first, which begins before the others and has its prompt's scores sent before its own tokens.
  bool needs_every_row(const Sequence& sequence) const {
    return sequence.choice == 0 && params().wants_prompt_logprobs() && !prompt_scores_sent;
  }
  /// Such a request is computed for its prompt's scores alone.
  bool wants_no_token() const { return params().stop.max_tokens == 0; }
};

/// The one order of all sequences of a lane, waiting or running: by rank, then by arrival. It never
/// changes, which is why preemption cannot go in circles.
struct ServedBefore {
  bool operator()(const Sequence* a, const Sequence* b) const {
    if (a->group == b->group) return a->choice < b->choice;
    if (a->group->rank != b->group->rank) return a->group->rank < b->group->rank;
    return a->group->arrival < b->group->arrival;
  }
};

}  // namespace troupe::scheduling
