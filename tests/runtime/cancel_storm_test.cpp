#include "runtime_fixture.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace troupe::testing {
namespace {

using namespace std::chrono_literals;
using Cancellation = RuntimeTest;

/// Counts the last events of every request.
class Ends {
 public:
  /// A client that is gone when the event of that number comes.
  EmbedDoor::OnEvent of(int request, std::uint64_t vanishes_at) {
    return [this, request, vanishes_at](const TokenEvent& event) {
      if (!event.last && event.number == vanishes_at)
        throw std::runtime_error("the client is gone");
      if (!event.last) return;
      const std::lock_guard guard(mutex_);
      ++last_events_[request];
    };
  }
  int count(int request) {
    const std::lock_guard guard(mutex_);
    return last_events_[request];
  }

 private:
  std::mutex mutex_;
  std::map<int, int> last_events_;
};

/// Whether everything of every request is given back within a second.
bool all_is_given_back(Engine& engine, const std::function<std::int64_t(const char*)>& used) {
  const auto deadline = std::chrono::steady_clock::now() + 1s;
  do {
    if (engine.in_flight() == 0 && used("blocks_used") == 0) return true;
    std::this_thread::sleep_for(1ms);
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

TEST_F(Cancellation, OfFiveThousandRequestsAtRandomPointsGivesEverythingBackWithinASecond) {
  script().host_slots = 64;
  script().executor_step_us = 100;
  auto engine = open([] {
    auto toml = plain_pipeline();
    const auto add = [&](const std::string& table, const std::string& line) {
      toml.insert(toml.find(table) + table.size(), line);
    };
    add("[operators.scheduler]\n", "params = { preemption = \"swap\" }\n");
    add("[operators.kv]\n", "params = { num_blocks = 40 }\n");
    return toml;
  }());
  ASSERT_TRUE(engine);
  Ends ends;
  constexpr int kRequests = 5000;
  constexpr std::size_t kAtOnce = 64;  // more than fit into the pool: some are swapped out
  constexpr std::uint64_t kNever = UINT64_MAX;
  std::mt19937 random(14);
  const auto below = [&](unsigned n) { return random() % n; };
  std::vector<RequestId> under_way;
  // Later ones wait, those before them run or stream, and some have ended by themselves.
  const auto cancel_one = [&] {
    const auto i = below(static_cast<unsigned>(under_way.size()));
    engine->cancel(under_way[i]);
    if (below(8) == 0) engine->cancel(under_way[i]);
    under_way[i] = under_way.back();
    under_way.pop_back();
  };
  for (int i = 0; i < kRequests; ++i) {
    auto asked =
        request(std::string(1 + below(150), static_cast<char>('a' + below(26))), 1 + below(400));
    asked.n = below(5) == 0 ? 2 : 1;
    const auto id =
        engine->submit(std::move(asked), ends.of(i, below(4) == 0 ? below(10) : kNever));
    ASSERT_TRUE(id) << id.error().message();
    under_way.push_back(*id);
    if (below(3) == 0) std::this_thread::sleep_for(std::chrono::microseconds(below(1500)));
    while (under_way.size() > below(kAtOnce) + 1)
      cancel_one();
  }
  while (!under_way.empty())
    cancel_one();

  const auto kv = [&](const char* figure) { return stat(*engine, "kv", figure); };
  EXPECT_TRUE(all_is_given_back(*engine, kv));
  EXPECT_EQ(kv("blocks_used"), 0);
  EXPECT_EQ(kv("blocks_free") + kv("blocks_cached"), kv("blocks_total"));
  EXPECT_EQ(stat(*engine, "scheduler", "waiting"), 0);
  EXPECT_EQ(stat(*engine, "scheduler", "running"), 0);
  EXPECT_EQ(stat(*engine, "client", "late_events"), 0);
  EXPECT_EQ(kv("swap_slots_used"), 0);
  // The storm met requests in every state.
  EXPECT_GT(stat(*engine, "scheduler", "cancelled"), 1000);
  EXPECT_GT(stat(*engine, "scheduler", "swaps"), 0);
  EXPECT_GT(stat(*engine, "client", "undelivered"), 0);
  for (int i = 0; i < kRequests; ++i)
    ASSERT_EQ(ends.count(i), 1) << i;
}

}  // namespace
}  // namespace troupe::testing
