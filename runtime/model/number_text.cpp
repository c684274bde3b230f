#include "troupe/model/number_text.h"

#include <array>
#include <charconv>

namespace troupe::model {

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

}  // namespace troupe::model
