#include "troupe/actors/step_loop.h"

#include "troupe/actors/messages.h"

#include <gtest/gtest.h>

#include <thread>

namespace troupe::actors {
namespace {

/// An actor on a loop that answers with the thread it runs on.
class Placed final : public caf::event_based_actor {
 public:
  Placed(caf::actor_config& config, StepLoop* loop) : caf::event_based_actor(config), loop_(loop) {}
  using caf::event_based_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override {
    caf::event_based_actor::enqueue(std::move(element), loop_ ? loop_ : unit);
  }
  void launch(caf::execution_unit* unit, bool lazy, bool hide) override {
    caf::event_based_actor::launch(loop_ ? loop_ : unit, lazy, hide);
  }
  caf::behavior make_behavior() override {
    return {[](int) {
      return static_cast<std::uint64_t>(std::hash<std::thread::id>{}(std::this_thread::get_id()));
    }};
  }

 private:
  StepLoop* loop_;
};

TEST(StepLoop, RunsAllItsActorsOnOneThreadOfItsOwn) {
  caf::actor_system_config config;
  caf::actor_system system(config);
  StepLoop loop(system);
  {
    auto a = system.spawn<Placed>(&loop), b = system.spawn<Placed>(&loop);
    caf::scoped_actor self{system};
    std::uint64_t thread_a = 0, thread_b = 1;
    for (int i = 0; i < 100; ++i) {
      self->request(a, std::chrono::seconds(10), 1)
          .receive([&](std::uint64_t t) { thread_a = t; }, [](caf::error&) {});
      self->request(b, std::chrono::seconds(10), 1)
          .receive([&](std::uint64_t t) { thread_b = t; }, [](caf::error&) {});
      ASSERT_EQ(thread_a, thread_b);
    }
    EXPECT_NE(thread_a, std::hash<std::thread::id>{}(std::this_thread::get_id()));
    for (const auto& actor : {a, b}) {
      self->monitor(actor);
      self->send_exit(actor, caf::exit_reason::user_shutdown);
    }
    for (int i = 0; i < 2; ++i)
      self->receive([](const caf::down_msg&) {});
  }
  loop.stop();
}

TEST(StepLoop, MayBeStoppedTwiceAndWhileIdle) {
  caf::actor_system_config config;
  caf::actor_system system(config);
  StepLoop loop(system, std::chrono::microseconds(50));
  loop.stop();
  loop.stop();
}

}  // namespace
}  // namespace troupe::actors
