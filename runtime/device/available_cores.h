#pragma once
#include <string_view>

namespace troupe {

/// Cores this process may use: those of its affinity mask, but no more than its control group's CPU
/// quota pays for (rounded up). At least 1.
int available_cores();

/// Cores a quota pays for. `text` is the content of a control group's cpu.max: "QUOTA PERIOD" in
/// microseconds, or "max PERIOD". 0 when it sets no limit or is malformed.
int cores_of_quota(std::string_view text);

}  // namespace troupe
