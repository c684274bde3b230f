#pragma once
#include "troupe/api/result.h"

#include <chrono>
#include <string>
#include <string_view>

namespace troupe::model::jinja {

/// strftime in the C locale. Errors: invalid_argument when the format or what it shows is too long.
Result<std::string> format_time(std::string_view format, std::chrono::local_seconds time);

}  // namespace troupe::model::jinja
