#pragma once
#include <string_view>

namespace troupe::model::jinja {

/// str.isupper(): at least one cased character, and none that is lower case.
bool is_upper_text(std::string_view text);
/// str.islower().
bool is_lower_text(std::string_view text);

}  // namespace troupe::model::jinja
