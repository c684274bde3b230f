#pragma once
#include "cell.h"
#include "logits_ledger.h"
#include "troupe/engine/engine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::exactness {

/// What is compared of an answer.
struct Essence {
  std::vector<TokenId> token_ids;
  std::string text;
  std::vector<std::uint32_t> logprob_bits;  // of the drawn tokens and of the best ones
  bool operator==(const Essence&) const = default;
};

/// What running one cell gave.
struct Outcome {
  std::vector<Essence> answers;  // one per probe
  std::int64_t cached_tokens = 0;
  std::size_t preempted = 0;  // probes during which a sequence was preempted
  std::size_t swapped = 0;    // and was swapped out
};

/// How much is computed in each cell.
struct Workload {
  int prompt_words = 20;
  std::size_t num_probes = 3;
  int other_tokens = 24;  // of the answers of the others, and up to seven more
};

/// Requests of all sorts: drawn with log-probabilities, greedy, filtered and penalised.
std::vector<Request> probes(const Workload& workload);

/// Runs each probe in an engine that was opened with the cell's settings, in the cell's company,
/// interrupted as the cell says. `ledger`: of the engine's sampler. Errors: those of a request.
Result<Outcome> run_cell(Engine& engine, LogitsLedger& ledger, const Cell& cell,
                         const Workload& workload);

}  // namespace troupe::exactness
