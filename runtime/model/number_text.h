#pragma once
#include <string>

namespace troupe::model {

/// The shortest text that reads back as the same number, such as "0.25" or "1e-05"; whole numbers
/// below 10^15 have no exponent.
std::string number_text(double value);

}  // namespace troupe::model
