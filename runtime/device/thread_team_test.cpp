#include "troupe/device/thread_team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace troupe {
namespace {

TEST(ThreadTeam, RunsEveryWorkerOncePerRun) {
  for (const int size : {1, 2, 3, 5}) {
    ThreadTeam team(size);
    std::vector<std::atomic<int>> counts(static_cast<std::size_t>(size));
    for (int round = 0; round < 200; ++round)
      team.run([&](int worker) { counts[static_cast<std::size_t>(worker)]++; });
    for (const auto& count : counts)
      EXPECT_EQ(count.load(), 200);
  }
}

TEST(ThreadTeam, HandsOutEveryChunkOnceBetweenBarriers) {
  ThreadTeam team(3);
  std::vector<std::atomic<int>> first(100), second(37);
  team.run([&](int) {
    for (auto i = team.next_chunk(100); i >= 0; i = team.next_chunk(100))
      first[static_cast<std::size_t>(i)]++;
    team.barrier();
    for (auto i = team.next_chunk(37); i >= 0; i = team.next_chunk(37))
      second[static_cast<std::size_t>(i)]++;
  });
  EXPECT_TRUE(std::all_of(first.begin(), first.end(), [](const auto& n) { return n == 1; }));
  EXPECT_TRUE(std::all_of(second.begin(), second.end(), [](const auto& n) { return n == 1; }));
}

TEST(ThreadTeam, SeesWritesOfOtherWorkersAfterABarrier) {
  ThreadTeam team(4);
  std::vector<int> written(4, 0), sums(4, 0);
  for (int round = 1; round <= 500; ++round)
    team.run([&](int worker) {
      written[static_cast<std::size_t>(worker)] = round;
      team.barrier();
      sums[static_cast<std::size_t>(worker)] = std::accumulate(written.begin(), written.end(), 0);
      team.barrier();
    });
  EXPECT_EQ(sums, (std::vector<int>{2000, 2000, 2000, 2000}));
}

TEST(ThreadTeam, WakesWorkersThatWentToSleep) {
  ThreadTeam team(2);
  std::atomic<int> count{0};
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    team.run([&](int) { ++count; });
  }
  EXPECT_EQ(count.load(), 10);
}

}  // namespace
}  // namespace troupe
