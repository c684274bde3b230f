#pragma once
#include <cstddef>

namespace troupe::model {

/// The bytes begin <= i < end of a text.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

}  // namespace troupe::model
