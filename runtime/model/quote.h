#pragma once
#include <string>
#include <string_view>

namespace troupe::model {

/// A name from a file as messages show it: in double quotes, bytes that are no printable ASCII as
/// \xNN, and cut after 80 bytes, since the file may be hostile.
std::string quote(std::string_view name);

}  // namespace troupe::model
