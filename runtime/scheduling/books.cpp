// BatchScheduler::check: compares the books.
#include "troupe/core/block_math.h"
#include "troupe/scheduling/batch_scheduler.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace troupe::scheduling {
namespace {

tl::unexpected<Error> broken(const Sequence& sequence, const std::string& what) {
  return fail(ErrorCode::internal, "sequence " + std::to_string(sequence.id.value) + ": " + what);
}

Result<void> check_sequence(const Sequence& sequence) {
  const bool running = sequence.state == State::running;
  if (!running && (!sequence.blocks.empty() || sequence.num_computed != 0))
    return broken(sequence, "holds blocks and does not run");
  if (running && sequence.num_uncomputed() < 1) return broken(sequence, "has nothing to compute");
  if (running &&
      static_cast<std::int64_t>(sequence.blocks.size()) < blocks_for(sequence.num_computed))
    return broken(sequence, "has computed more tokens than its blocks hold");
  if (sequence.follows &&
      (sequence.state != State::waiting || sequence.group->num_output_tokens(sequence) != 0))
    return broken(sequence, "follows a leader and has begun");
  if (sequence.tokens_sent > sequence.group->num_output_tokens(sequence))
    return broken(sequence, "has sent more tokens than there are");
  if ((sequence.state == State::finished) != (sequence.finish != FinishReason::none))
    return broken(sequence, "is finished in one book and open in the other");
  return {};
}

}  // namespace

Result<void> BatchScheduler::check() const {
  if (auto good = check_queues(); !good) return good;
  return check_blocks();
}

Result<void> BatchScheduler::check_queues() const {
  std::size_t running = 0, deadlines = 0;
  std::int64_t suspects = 0, waiting = 0, following = 0;
  for (const auto& [id, group] : groups_) {
    std::int32_t open = 0;
    for (const auto& sequence : group->sequences) {
      if (auto good = check_sequence(sequence); !good) return good;
      open += sequence.state != State::finished ? 1 : 0;
      waiting += sequence.state == State::waiting ? 1 : 0;
      following += sequence.follows ? 1 : 0;
      running += sequence.state == State::running ? 1 : 0;
      suspects += sequence.suspect_until > 0 ? 1 : 0;
    }
    deadlines += group->params().deadline ? 1 : 0;
    if (open != group->num_open || open == 0)
      return fail(ErrorCode::internal, "request " + std::to_string(id.value) + ": " +
                                           std::to_string(open) + " choices go on, its book says " +
                                           std::to_string(group->num_open));
  }
  if (auto good = line_.check(); !good) return good;
  if (waiting != line_.size() + following_ || following != following_ || running != running_.size())
    return fail(ErrorCode::internal, "the queues and the requests' states differ");
  if (deadlines != deadlines_.size() || suspects != suspects_)
    return fail(ErrorCode::internal, "the books of deadlines or suspects do not add up");
  if (!std::is_sorted(running_.begin(), running_.end(), ServedBefore()))
    return fail(ErrorCode::internal, "those that run are not in order");
  return {};
}

Result<void> BatchScheduler::check_blocks() const {
  std::unordered_set<BlockId> held;
  for (const Sequence* sequence : running_) {
    held.clear();
    for (std::size_t i = 0; i < sequence->blocks.size(); ++i) {
      const BlockId block = sequence->blocks[i];
      if ((block == kNoBlock) != (static_cast<std::int32_t>(i) < sequence->first_held))
        return broken(*sequence, "lacks block " + std::to_string(i) + ", or held on to it");
      if (block != kNoBlock && !held.insert(block).second)
        return broken(*sequence, "has block " + std::to_string(block.value) + " twice");
    }
  }
  return {};
}

}  // namespace troupe::scheduling
