#include "batch_report.h"

#include "terminal.h"

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

}  // namespace troupe::program
