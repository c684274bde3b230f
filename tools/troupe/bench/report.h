#pragma once
#include "troupe/api/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::program {

/// A column of a printed table: the key of a run's figure and what stands above it.
struct Column {
  std::string_view key;
  std::string_view title;
  int decimals = 1;
};

/// Prints a bench's runs: as one JSON object, or as a table of `columns` below a line that says
/// what was measured.
void print_report(std::string_view bench, std::string_view what, const Value::Array& runs,
                  const std::vector<Column>& columns, bool json);

}  // namespace troupe::program
