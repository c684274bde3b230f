#include "batch_report.h"

#include "terminal.h"

#include <charconv>
#include <cstdio>

namespace troupe::program {

void BatchReport::take(const std::string& line) {
  const std::lock_guard guard(mutex_);
  last_ = line;
  if (!messages_are_terminal()) return;
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

bool BatchReport::end() {
  const std::lock_guard guard(mutex_);
  if (!last_.empty())
    std::fprintf(stderr, "%s%s\n", messages_are_terminal() ? "\r\x1b[K" : "", last_.c_str());
  return last_.ends_with("; finished");
}

std::size_t BatchReport::failed() {
  const std::lock_guard guard(mutex_);
  const auto end = last_.find(" failed");
  const auto comma = last_.rfind(", ", end);
  if (end == std::string::npos || comma == std::string::npos) return 0;
  std::size_t count = 0;
  std::from_chars(last_.data() + comma + 2, last_.data() + end, count);
  return count;
}

}  // namespace troupe::program
