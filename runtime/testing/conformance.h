#pragma once
#include "troupe/api/plugin.h"
#include "troupe/testing/fake_resources.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

/// The descriptor of the plugin whose sources the test program compiles.
extern "C" const troupe::PluginDescriptor troupe_plugin;

namespace troupe::testing {

/// What a plugin's conformance tests need beside the defaults of its parameters.
struct ConformanceSetup {
  /// Values of required parameters, and others that the test wants.
  Value::Object params = {};
  /// Makes what the operator starts with; by default a FakeResources. Returns nullptr when the test
  /// data is absent: then everything from start on is skipped.
  std::function<std::shared_ptr<Resources>()> resources = [] {
    return std::make_shared<FakeResources>();
  };
};

// Each reports what is wrong as a GoogleTest failure.

/// Names, summary, identity and parameter table are complete and consistent.
void check_descriptor(const PluginDescriptor& plugin);
/// Every default parses, has its type and lies in its range, and the operator takes them all.
void check_defaults(const PluginDescriptor& plugin, const ConformanceSetup& setup);
/// Values at the ends of their ranges and every choice come back as given.
void check_round_trip(const PluginDescriptor& plugin, const ConformanceSetup& setup);
/// Values of another type or outside their range, and unknown names, are refused.
void check_refusals(const PluginDescriptor& plugin, const ConformanceSetup& setup);
/// The operator may be stopped without having been started, and destroyed at any time.
void check_life_cycle(const PluginDescriptor& plugin, const ConformanceSetup& setup);
/// The promises of the operator's kind: determinism, empty and one-token work, books that add up.
void check_kind(const PluginDescriptor& plugin, const ConformanceSetup& setup);

}  // namespace troupe::testing

/// The conformance suite of a plugin: one line in its test, at global scope. Takes, if needed, the
/// initializer of its ConformanceSetup:
///   TROUPE_CONFORMANCE()
///   TROUPE_CONFORMANCE({.params = {{"path", "/tmp/x"}}})
#define TROUPE_CONFORMANCE(...)                                              \
  namespace {                                                                \
  ::troupe::testing::ConformanceSetup conformance_setup() {                  \
    ::troupe::testing::ConformanceSetup setup __VA_ARGS__;                   \
    return setup;                                                            \
  }                                                                          \
  TEST(Conformance, ItsDescriptorIsComplete) {                               \
    ::troupe::testing::check_descriptor(troupe_plugin);                      \
  }                                                                          \
  TEST(Conformance, ItsDefaultsAreValid) {                                   \
    ::troupe::testing::check_defaults(troupe_plugin, conformance_setup());   \
  }                                                                          \
  TEST(Conformance, ItsParametersRoundTrip) {                                \
    ::troupe::testing::check_round_trip(troupe_plugin, conformance_setup()); \
  }                                                                          \
  TEST(Conformance, BadParametersAreRefused) {                               \
    ::troupe::testing::check_refusals(troupe_plugin, conformance_setup());   \
  }                                                                          \
  TEST(Conformance, ItCanBeStoppedAtAnyTime) {                               \
    ::troupe::testing::check_life_cycle(troupe_plugin, conformance_setup()); \
  }                                                                          \
  TEST(Conformance, ItKeepsThePromisesOfItsKind) {                           \
    ::troupe::testing::check_kind(troupe_plugin, conformance_setup());       \
  }                                                                          \
  }
