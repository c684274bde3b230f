#pragma once
#include "merge_table.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace troupe::bpe {

/// Set from outside when nobody waits for the result any more; may be null.
using CancelFlag = const std::atomic<bool>*;

inline bool is_cancelled(CancelFlag flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

/// Applies merges to the symbols of one piece of text: the lowest rank first, of equal ranks the
/// leftmost, until no neighbours merge. Holds buffers between calls; one per thread.
/// Cost: O(n log n) for n symbols, so that a piece may be the whole text.
/// Source: R. Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", 2016.
class Merger {
 public:
  /// False when it was cancelled; `symbols` is then of no use. A negative symbol merges with none.
  bool run(const MergeTable& table, std::vector<TokenId>& symbols, CancelFlag cancelled);

  /// Gives back the buffers of a long piece.
  void trim();

 private:
  /// A pair that may be merged, unless its symbols have changed by the time its turn comes.
  struct Candidate {
    std::uint32_t rank;
    std::uint32_t at;  // index of the left symbol
    TokenId left;
    TokenId right;
  };

  void run_short(const MergeTable& table, std::vector<TokenId>& symbols);
  bool run_long(const MergeTable& table, std::vector<TokenId>& symbols, CancelFlag cancelled);
  void link(std::size_t count);
  void consider(const MergeTable& table, const std::vector<TokenId>& symbols, std::uint32_t at,
                bool ordered);
  void join(const MergeTable& table, std::vector<TokenId>& symbols, const Candidate& pair);

  std::vector<Merge> merges_;  // of each pair of neighbours: short pieces
  std::vector<Candidate> heap_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
};

}  // namespace troupe::bpe
