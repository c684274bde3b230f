#include "bench/count_list.h"

#include <algorithm>
#include <charconv>

namespace troupe::program {

Result<std::vector<std::int64_t>> parse_counts(std::string_view option, const std::string& text,
                                               std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::string_view rest = text; !rest.empty();) {
    const auto word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    std::int64_t count = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || stop != word.data() + word.size() || count < 1 || count > most)
      return fail(ErrorCode::invalid_argument,
                  std::string(option) + ": found '" + std::string(word) +
                      "'; expected numbers from 1 to " + std::to_string(most) +
                      " with commas between them");
    counts.push_back(count);
  }
  if (counts.empty())
    return fail(ErrorCode::invalid_argument,
                std::string(option) + ": found none; expected one or more");
  return counts;
}

}  // namespace troupe::program
