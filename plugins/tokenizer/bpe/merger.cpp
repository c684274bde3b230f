#include "merger.h"

#include <algorithm>
#include <limits>

namespace troupe::bpe {
namespace {

/// Up to here a scan over all pairs beats a heap.
constexpr std::size_t kShort = 48;
constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
constexpr TokenId kGone = -2;  // joined with its left neighbour
constexpr std::size_t kCancelPeriod = 4096;

Merge merge_of(const MergeTable& table, TokenId left, TokenId right) {
  if (left < 0 || right < 0) return {kNoRank, -1};
  const Merge* found = table.find(left, right);
  return found != nullptr ? *found : Merge{kNoRank, -1};
}

}  // namespace

bool Merger::run(const MergeTable& table, std::vector<TokenId>& symbols, CancelFlag cancelled) {
  if (symbols.size() > kShort) return run_long(table, symbols, cancelled);
  run_short(table, symbols);
  return true;
}

void Merger::trim() {
  if (next_.capacity() <= kCancelPeriod) return;
  heap_ = {};
  next_ = {};
  previous_ = {};
}

void Merger::run_short(const MergeTable& table, std::vector<TokenId>& symbols) {
  merges_.clear();
  for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
    merges_.push_back(merge_of(table, symbols[i], symbols[i + 1]));
  while (!merges_.empty()) {
    const auto best = std::min_element(merges_.begin(), merges_.end(),
                                       [](Merge a, Merge b) { return a.rank < b.rank; });
    if (best->rank == kNoRank) return;
    const auto i = static_cast<std::size_t>(best - merges_.begin());
    symbols[i] = best->result;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    merges_.erase(best);
    if (i < merges_.size()) merges_[i] = merge_of(table, symbols[i], symbols[i + 1]);
    if (i > 0) merges_[i - 1] = merge_of(table, symbols[i - 1], symbols[i]);
  }
}

void Merger::link(std::size_t count) {
  next_.resize(count);
  previous_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    next_[i] = i + 1 < count ? static_cast<std::uint32_t>(i + 1) : kEnd;
    previous_[i] = i > 0 ? static_cast<std::uint32_t>(i - 1) : kEnd;
  }
}

namespace {

/// Orders the heap: the lowest rank on top, of equal ranks the leftmost.
struct Later {
  template <class Candidate>
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
  }
};

}  // namespace

void Merger::consider(const MergeTable& table, const std::vector<TokenId>& symbols,
                      std::uint32_t at, bool ordered) {
  if (at == kEnd || next_[at] == kEnd) return;
  const TokenId left = symbols[at], right = symbols[next_[at]];
  const Merge merge = merge_of(table, left, right);
  if (merge.rank == kNoRank) return;
  heap_.push_back({merge.rank, at, left, right});
  if (ordered) std::push_heap(heap_.begin(), heap_.end(), Later());
}

void Merger::join(const MergeTable& table, std::vector<TokenId>& symbols, const Candidate& pair) {
  const std::uint32_t gone = next_[pair.at];
  symbols[pair.at] = merge_of(table, pair.left, pair.right).result;
  symbols[gone] = kGone;
  next_[pair.at] = next_[gone];
  if (next_[gone] != kEnd) previous_[next_[gone]] = pair.at;
  consider(table, symbols, previous_[pair.at], true);
  consider(table, symbols, pair.at, true);
}

bool Merger::run_long(const MergeTable& table, std::vector<TokenId>& symbols,
                      CancelFlag cancelled) {
  link(symbols.size());
  heap_.clear();
  for (std::uint32_t at = 0; at < symbols.size(); ++at) {
    if (at % kCancelPeriod == 0 && is_cancelled(cancelled)) return false;
    consider(table, symbols, at, false);
  }
  std::make_heap(heap_.begin(), heap_.end(), Later());
  for (std::size_t step = 0; !heap_.empty(); ++step) {
    if (step % kCancelPeriod == 0 && is_cancelled(cancelled)) return false;
    std::pop_heap(heap_.begin(), heap_.end(), Later());
    const Candidate pair = heap_.back();
    heap_.pop_back();
    const bool fresh = symbols[pair.at] == pair.left && next_[pair.at] != kEnd &&
                       symbols[next_[pair.at]] == pair.right;
    if (fresh) join(table, symbols, pair);
  }
  std::erase(symbols, kGone);
  return true;
}

}  // namespace troupe::bpe
