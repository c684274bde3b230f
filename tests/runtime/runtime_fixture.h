#pragma once
#include "fake_operators.h"
#include "troupe/engine/engine.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::testing {

/// A pipeline of real actors with fake model operators.
class RuntimeTest : public ::testing::Test {
 protected:
  RuntimeTest() {
    reset_script();
    add_fake_operators(catalog_);
  }

  /// The plain pipeline: door -> stage -> tokenizer -> loop -> tokenizer -> stage -> door.
  static std::string plain_pipeline(const std::string& more = {});

  std::unique_ptr<Engine> open(const std::string& toml, Engine::Options options = {});

  /// One of the figures that operator `name` counts.
  static std::int64_t stat(Engine& engine, std::string_view name, std::string_view figure);

  /// A greedy request for a text.
  static Request request(std::string text, std::int64_t max_tokens = 12);
  /// Runs a request to its end.
  static Answer run(Engine& engine, Request request);
  /// Waits, at most ten seconds, until no request is under way. A request is until the delivery of
  /// its last event returned, which is a moment after its client has that event.
  static bool becomes_idle(const Engine& engine);

  TestCatalog catalog_;
};

}  // namespace troupe::testing
