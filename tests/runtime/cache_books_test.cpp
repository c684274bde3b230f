#include "runtime_fixture.h"
#include "troupe/testing/plain_operators.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace troupe::testing {
namespace {

std::atomic<bool> books_are_wrong{false};

class DishonestCache final : public PlainCache {
 public:
  DishonestCache() : PlainCache(kFakeBlocks) {}
  Result<void> check() const override {
    if (books_are_wrong) return fail(ErrorCode::internal, "block 3 is nowhere");
    return {};
  }
};

class CacheBooks : public RuntimeTest {
 protected:
  CacheBooks() {
    books_are_wrong = false;
    catalog_.add(
        make_operator<DishonestCache, OperatorKind::kv_cache>("paged", "wrong on demand", "", {}));
  }

  /// Waits, at most ten seconds, for a figure of the cache.
  static bool becomes(Engine& engine, std::string_view figure, std::int64_t value) {
    for (int i = 0; i < 1000 && stat(engine, "kv", figure) != value; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return stat(engine, "kv", figure) == value;
  }
};

// Debug builds look at the books after every step.
#ifdef NDEBUG
TEST_F(CacheBooks, AreCheckedWhenNothingRunsAndAFailureIsCounted) {
  auto engine = open(plain_pipeline());
  books_are_wrong = true;
  EXPECT_EQ(run(*engine, request("hello", 8)).choices.at(0).token_ids, expected_ids("hello", 8));
  EXPECT_TRUE(becomes(*engine, "book_failures", 1));
  EXPECT_TRUE(becomes(*engine, "restarts", 1));
  books_are_wrong = false;
  EXPECT_EQ(run(*engine, request("again", 8)).choices.at(0).token_ids, expected_ids("again", 8));
}
#endif

TEST_F(CacheBooks, ThatAddUpAreNoFailure) {
  auto engine = open(plain_pipeline());
  EXPECT_EQ(run(*engine, request("hello", 8)).choices.at(0).token_ids, expected_ids("hello", 8));
  EXPECT_TRUE(becomes(*engine, "blocks_used", 0));
  EXPECT_EQ(stat(*engine, "kv", "book_failures"), 0);
  EXPECT_EQ(stat(*engine, "kv", "restarts"), 0);
}

}  // namespace
}  // namespace troupe::testing
