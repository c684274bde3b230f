#include "troupe/actors/operator_host.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace troupe::actors {
namespace {

struct Counted final : Operator {
  explicit Counted(int& all_stops) : stops(all_stops) {}
  void stop() noexcept override { ++stops; }
  int& stops;
};

constexpr pipeline::RestartSpec kTwice{
    .policy = pipeline::RestartPolicy::always, .max = 2, .window_s = 60};

TEST(OperatorHost, StopsItsObjectOnceAndOnlyOnce) {
  int stops = 0;
  {
    OperatorHost host("x", kTwice, [&] {
      return Result<std::shared_ptr<Operator>>(std::make_shared<Counted>(stops));
    });
    ASSERT_TRUE(host.start());
    EXPECT_TRUE(host.is_running());
    host.stop();
    host.stop();
    EXPECT_EQ(stops, 1);
  }
  EXPECT_EQ(stops, 1);
}

TEST(OperatorHost, PutsItsNameBeforeAnErrorOfTheBuild) {
  OperatorHost refusing("kv", kTwice, []() -> Result<std::shared_ptr<Operator>> {
    return fail(ErrorCode::not_found, "no such plugin");
  });
  EXPECT_EQ(refusing.start().error().message(), "kv: no such plugin");
  OperatorHost throwing("kv", kTwice, []() -> Result<std::shared_ptr<Operator>> {
    throw std::runtime_error("boom");
  });
  EXPECT_EQ(throwing.start().error().message(), "kv: the plugin threw: boom");
}

TEST(OperatorHost, RestartsWithinItsBudgetAndThenNamesTheLastCause) {
  int stops = 0, builds = 0;
  OperatorHost host("x", kTwice, [&] {
    ++builds;
    return Result<std::shared_ptr<Operator>>(std::make_shared<Counted>(stops));
  });
  ASSERT_TRUE(host.start());
  const Error cause(ErrorCode::device, "the last straw");
  EXPECT_TRUE(host.restart(cause, Time{}));
  EXPECT_TRUE(host.restart(cause, Time{}));
  const auto spent = host.restart(cause, Time{});
  ASSERT_FALSE(spent);
  EXPECT_EQ(spent.error().message(),
            "x: stopped after 2 restarts within 60 s; the last failure was: the last straw");
  EXPECT_EQ(builds, 3);
  EXPECT_EQ(stops, 3);
  EXPECT_FALSE(host.is_running());
  EXPECT_EQ(host.restarts(), 2);
}

}  // namespace
}  // namespace troupe::actors
