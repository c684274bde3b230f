#include "troupe/model/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace troupe::model {

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  auto* const last = buffer.data() + buffer.size();
  const bool whole = std::fabs(value) < 1e15 && value == std::trunc(value);
  const auto end = whole ? std::to_chars(buffer.data(), last, value, std::chars_format::fixed)
                         : std::to_chars(buffer.data(), last, value);
  return {buffer.data(), end.ptr};
}

}  // namespace troupe::model
