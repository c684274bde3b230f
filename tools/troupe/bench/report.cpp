#include "bench/report.h"

#include "troupe/core/json.h"

#include <algorithm>
#include <cstdio>

namespace troupe::program {
namespace {

std::string cell(const Value* value, int decimals) {
  if (value == nullptr) return "-";
  if (value->is_string()) return value->as_string();
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value->as_double());
  return text;
}

}  // namespace

void print_report(std::string_view bench, std::string_view what, const Value::Array& runs,
                  const std::vector<Column>& columns, bool json) {
  if (json) {
    Value value;
    value.set("bench", std::string(bench));
    value.set("runs", runs);
    std::printf("%s\n", to_json(value).c_str());
    return;
  }
  std::printf("%.*s\n", static_cast<int>(what.size()), what.data());
  std::vector<std::string> lines(runs.size() + 1);
  for (const auto& column : columns) {
    std::vector<std::string> cells = {std::string(column.title)};
    for (const auto& run : runs)
      cells.push_back(cell(run.find(column.key), column.decimals));
    const auto width = std::ranges::max_element(cells, {}, &std::string::size)->size();
    for (std::size_t i = 0; i < cells.size(); ++i)
      lines[i] += std::string(2 + width - cells[i].size(), ' ') + cells[i];
  }
  for (const auto& line : lines)
    std::printf("%s\n", line.c_str());
}

}  // namespace troupe::program
