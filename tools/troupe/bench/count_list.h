#pragma once
#include "troupe/api/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::program {

/// The numbers of a list like "1,8,64". Errors: invalid_argument, with the option's name, for
/// anything that is no number from 1 to `most`, and for an empty list.
Result<std::vector<std::int64_t>> parse_counts(std::string_view option, const std::string& text,
                                               std::int64_t most);

}  // namespace troupe::program
