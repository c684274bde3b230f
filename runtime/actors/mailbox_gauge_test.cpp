#include "troupe/actors/mailbox_gauge.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace troupe::actors {
namespace {

TEST(MailboxGauge, RefusesWhatIsBeyondItsCapacity) {
  MailboxGauge gauge(2);
  EXPECT_TRUE(gauge.try_enter());
  EXPECT_TRUE(gauge.try_enter());
  EXPECT_FALSE(gauge.try_enter());
  EXPECT_EQ(gauge.depth(), 2);
  EXPECT_EQ(gauge.refused(), 1);
  gauge.leave();
  EXPECT_TRUE(gauge.try_enter());
}

TEST(MailboxGauge, TakesWhatMustNotBeRefusedAndSaysThatItIsFull) {
  MailboxGauge gauge(1);
  EXPECT_FALSE(gauge.is_full());
  gauge.enter();
  gauge.enter();
  EXPECT_TRUE(gauge.is_full());
  EXPECT_FALSE(gauge.try_enter());
}

TEST(MailboxGauge, NeverLetsMoreInThanFitWhateverTheThreads) {
  MailboxGauge gauge(8);
  std::atomic<int> most{0}, inside{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        if (!gauge.try_enter()) continue;
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        --inside;
        gauge.leave();
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_LE(most, 8);
  EXPECT_EQ(gauge.depth(), 0);
}

}  // namespace
}  // namespace troupe::actors
