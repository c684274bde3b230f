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
    team.fix_workers(size);
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
  team.fix_workers(4);
  std::vector<int> written(4, 0), sums(4, 0);
  for (int round = 1; round <= 200; ++round)
    team.run([&](int worker) {
      written[static_cast<std::size_t>(worker)] = round;
      team.barrier();
      sums[static_cast<std::size_t>(worker)] = std::accumulate(written.begin(), written.end(), 0);
      team.barrier();
    });
  EXPECT_EQ(sums, (std::vector<int>{800, 800, 800, 800}));
}

TEST(ThreadTeam, WakesWorkersThatWentToSleep) {
  ThreadTeam team(2);
  team.fix_workers(2);
  std::atomic<int> count{0};
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    team.run([&](int) { ++count; });
  }
  EXPECT_EQ(count.load(), 10);
}

TEST(ThreadTeam, RunsOnTheFirstWorkersOnlyWhenFewerAreFixed) {
  ThreadTeam team(5);
  std::vector<std::atomic<int>> counts(5);
  for (int round = 0; round < 100; ++round) {
    team.fix_workers(1 + round % 5);
    team.run([&](int worker) {
      team.barrier();
      counts[static_cast<std::size_t>(worker)]++;
    });
  }
  for (int worker = 0; worker < 5; ++worker)
    EXPECT_EQ(counts[static_cast<std::size_t>(worker)].load(), 20 * (5 - worker));
}

TEST(ThreadTeam, WakesAWorkerThatWasLeftOutForLong) {
  ThreadTeam team(3);
  std::atomic<int> count{0};
  for (const int workers : {2, 1, 3, 1, 2, 3}) {
    team.fix_workers(workers);
    for (int round = 0; round < 20; ++round)
      team.run([&](int) { ++count; });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(count.load(), 20 * 12);
}

/// Two dependent phases over chunks; the second adds neighbours of the first's results.
std::vector<std::int64_t> two_phases(ThreadTeam& team, std::int64_t chunks) {
  std::vector<std::int64_t> first(static_cast<std::size_t>(chunks)), second(first);
  std::atomic<std::int64_t> taken{0};
  team.run([&](int) {
    for (auto i = team.next_chunk(chunks); i >= 0; i = team.next_chunk(chunks)) {
      first[static_cast<std::size_t>(i)] += i * i + 1;
      ++taken;
    }
    team.barrier();
    for (auto i = team.next_chunk(chunks); i >= 0; i = team.next_chunk(chunks)) {
      second[static_cast<std::size_t>(i)] +=
          first[static_cast<std::size_t>(i)] + first[static_cast<std::size_t>((i + 1) % chunks)];
      ++taken;
    }
  });
  EXPECT_EQ(taken.load(), 2 * chunks);
  return second;
}

TEST(ThreadTeam, GivesEqualResultsWhateverWorkersTakePart) {
  ThreadTeam team(4);
  team.fix_workers(1);
  const auto expected = two_phases(team, 50);
  for (int round = 0; round < 200; ++round) {
    team.fix_workers(round * 7 % 5);  // 0: as the team decides
    ASSERT_EQ(two_phases(team, 50), expected);
  }
}

/// Threads that use every core, twice, until the end of their scope.
struct BusyCores {
  BusyCores() {
    for (unsigned i = 0; i < 2 * std::max(1u, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back([this] {
        while (!stop.load(std::memory_order_relaxed)) {
        }
      });
  }
  ~BusyCores() {
    stop = true;
    for (auto& thread : threads)
      thread.join();
  }
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
};

TEST(ThreadTeam, KeepsItsResultsWhileItShrinksAndGrowsOnBusyCores) {
  ThreadTeam team(3);
  team.fix_workers(1);
  const auto expected = two_phases(team, 64);
  team.fix_workers(0);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  const BusyCores busy;
  do {
    ASSERT_EQ(two_phases(team, 64), expected);
  } while (std::chrono::steady_clock::now() < until);
}

TEST(ThreadTeam, ServesOneCallingThreadAfterAnother) {
  ThreadTeam team(2);
  const auto expected = two_phases(team, 20);
  for (int i = 0; i < 10; ++i)
    std::thread([&] { EXPECT_EQ(two_phases(team, 20), expected); }).join();
}

}  // namespace
}  // namespace troupe
