#pragma once
#include <cstddef>

namespace troupe::model::jinja {

/// What one rendering of a chat template may cost. Work is counted, never timed, so that the same
/// input ends the same way on every machine; the defaults keep the worst template under a second.
struct Limits {
  /// Evaluated nodes, plus one for each 256 bytes copied or searched, or a few characters
  /// that are looked at one by one.
  std::size_t steps = 8'000'000;
  /// Bytes of all strings and containers alive at one time.
  std::size_t memory_bytes = std::size_t{128} << 20;
  /// Bytes of one string, of the prompt too.
  std::size_t text_bytes = std::size_t{32} << 20;
  /// Nodes and macro calls inside each other.
  std::size_t depth = 800;
  /// Numbers that one range() may hold.
  std::size_t range_items = 100'000;
};

}  // namespace troupe::model::jinja
