#include "metrics_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

namespace troupe::program {
namespace {

std::string escaped(const std::string& label) {
  std::string text;
  for (const char c : label) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text;
}

std::string number(const Value& value) {
  if (value.is_bool()) return value.as_bool() ? "1" : "0";
  if (value.is_int()) return std::to_string(value.as_int());
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value.as_double());
  return text;
}

}  // namespace

std::string metrics_text(const Value& stats) {
  std::map<std::string, std::string> lines;  // by metric: its lines have to stand together
  for (const auto& one : stats.as_array()) {
    const auto* name = one.find("operator");
    const auto label = name ? escaped(name->as_string()) : std::string();
    for (const auto& [figure, value] : one.as_object())
      if (value.is_number() || value.is_bool())
        lines["troupe_" + figure] +=
            "troupe_" + figure + "{operator=\"" + label + "\"} " + number(value) + "\n";
  }
  std::string text;
  for (const auto& [metric, its_lines] : lines)
    text += "# TYPE " + metric + " untyped\n" + its_lines;
  return text;
}

Result<void> write_metrics(const std::string& path, const Value& stats) {
  const auto text = metrics_text(stats);
  const auto unfinished = path + ".new";
  std::FILE* file = std::fopen(unfinished.c_str(), "w");
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) written = std::fclose(file) == 0 && written;
  if (written && std::rename(unfinished.c_str(), path.c_str()) == 0) return {};
  const int reason = errno;
  std::remove(unfinished.c_str());
  return fail(ErrorCode::device, path + ": " + std::strerror(reason) +
                                     "; expected a file that can be written, for --metrics-file");
}

}  // namespace troupe::program
