#include "test_rig.h"
#include "troupe/core/block_math.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <random>

namespace troupe::paged {
namespace {

constexpr std::int32_t kContextLen = 2048;
constexpr std::int64_t kNumBlocks = 2048;  // room for 16 sequences of the longest length

/// A request of the trace: it comes with a prompt and ends after so many tokens in all.
struct Arrival {
  std::int32_t prompt_tokens;
  std::int32_t total_tokens;
};

/// Log-normal lengths, as chats have them: a median prompt of 150 tokens, a median answer of 120.
std::vector<Arrival> make_trace(std::size_t size) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const auto length = [&](double median, double spread, int least, int most) {
    const auto tokens = static_cast<int>(median * std::exp(spread * normal(random)));
    return static_cast<std::int32_t>(std::clamp(tokens, least, most));
  };
  std::vector<Arrival> trace;
  while (trace.size() < size) {
    const auto prompt = length(150, 1.0, 1, 1500);
    trace.push_back({prompt, prompt + length(120, 0.9, 1, kContextLen - 1500)});
  }
  return trace;
}

struct Running {
  std::uint64_t id;
  std::int32_t num_tokens;
  std::int32_t total_tokens;
};

/// Sums over the steps of a replay in which requests waited for room.
struct Measured {
  std::int64_t steps = 0;
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  std::int64_t reserved = 0;  // positions that were held

  double per_step(std::int64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(steps);
  }
  double unused_per_sequence() const {
    return static_cast<double>(reserved - tokens) / static_cast<double>(sequences);
  }
  double held_in_use() const { return static_cast<double>(tokens) / static_cast<double>(reserved); }
};

void count(Measured& measured, const std::vector<Running>& running, std::int64_t reserved) {
  ++measured.steps;
  measured.sequences += static_cast<std::int64_t>(running.size());
  for (const auto& one : running)
    measured.tokens += one.num_tokens;
  measured.reserved += reserved;
}

/// Blocks on demand; the newest sequence waits and starts again when the pool is full.
class PagedReplay {
 public:
  explicit PagedReplay(const std::vector<Arrival>& trace) : trace_(trace) {
    for (std::uint64_t id = 0; id < trace.size(); ++id)
      waiting_.push_back(id);
  }

  Measured run() {
    while (!waiting_.empty()) {
      for (std::size_t i = 0; i < running_.size(); ++i)
        lengthen(i);
      admit();
      const auto stats = rig_.cache.stats();
      // The bound, in every step: less than one block per sequence.
      EXPECT_LT(stats.unused_slots, kBlockSize * static_cast<std::int64_t>(running_.size()));
      count(measured_, running_, tokens_in(stats.blocks_used));
      std::erase_if(running_, [&](const Running& one) {
        if (one.num_tokens >= one.total_tokens) rig_.release(one.id);
        return one.num_tokens >= one.total_tokens;
      });
      rig_.ask();
    }
    return measured_;
  }

 private:
  void lengthen(std::size_t i) {
    while (i < running_.size() &&
           rig_.grow(running_[i].id, running_[i].num_tokens + 1).short_of_blocks > 0) {
      rig_.release(running_.back().id).ask();
      waiting_.push_front(running_.back().id);
      running_.pop_back();
    }
    if (i < running_.size()) ++running_[i].num_tokens;
  }

  void admit() {
    while (!waiting_.empty()) {
      const auto id = waiting_.front();
      const auto& [prompt_tokens, total_tokens] = trace_[id];
      if (rig_.grow(id, prompt_tokens).short_of_blocks > 0) return;
      running_.push_back({id, prompt_tokens, total_tokens});
      waiting_.pop_front();
    }
  }

  const std::vector<Arrival>& trace_;
  Rig rig_{{.num_blocks = kNumBlocks, .prefix_cache = false}};
  Measured measured_;
  std::vector<Running> running_;
  std::deque<std::uint64_t> waiting_;
};

/// Room for the longest sequence is set aside for each, as without block tables.
Measured replay_contiguous(const std::vector<Arrival>& trace) {
  const auto num_places = static_cast<std::size_t>(tokens_in(kNumBlocks) / kContextLen);
  Measured measured;
  std::vector<Running> running;
  std::size_t next = 0;
  while (next < trace.size()) {
    for (auto& one : running)
      ++one.num_tokens;
    for (; next < trace.size() && running.size() < num_places; ++next)
      running.push_back({next, trace[next].prompt_tokens, trace[next].total_tokens});
    count(measured, running, static_cast<std::int64_t>(running.size()) * kContextLen);
    std::erase_if(running, [](const Running& one) { return one.num_tokens >= one.total_tokens; });
  }
  return measured;
}

void print(const char* name, const Measured& measured) {
  std::printf(
      "%-10s %6.1f sequences at once, %7.1f positions unused per sequence, %5.1f %% of what is "
      "held "
      "in use, %5.1f %% of the pool\n",
      name, measured.per_step(measured.sequences), measured.unused_per_sequence(),
      100 * measured.held_in_use(),
      100 * measured.per_step(measured.tokens) / static_cast<double>(tokens_in(kNumBlocks)));
}

TEST(Waste, IsBelowOneBlockPerSequenceWhereContiguousRoomWastesMost) {
  const auto trace = make_trace(400);
  const auto paged = PagedReplay(trace).run();
  const auto contiguous = replay_contiguous(trace);
  print("paged", paged);
  print("contiguous", contiguous);
  EXPECT_LT(paged.unused_per_sequence(), kBlockSize);
  EXPECT_GT(paged.held_in_use(), 0.95);
  EXPECT_LT(contiguous.held_in_use(), 0.25);
  EXPECT_GT(paged.per_step(paged.sequences), 4 * contiguous.per_step(contiguous.sequences));
}

}  // namespace
}  // namespace troupe::paged
