#pragma once
#include "troupe/api/value.h"

#include <cstdint>
#include <string_view>

namespace troupe::program {

/// The sum of a count over all operators that have it. `stats`: of Engine::stats.
inline std::int64_t sum_of(const Value& stats, std::string_view name) {
  std::int64_t sum = 0;
  for (const auto& one : stats.as_array())
    if (const auto* count = one.find(name); count && count->is_int()) sum += count->as_int();
  return sum;
}

}  // namespace troupe::program
