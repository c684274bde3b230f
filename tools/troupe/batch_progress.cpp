#include "batch_progress.h"

#include "engine_counts.h"
#include "terminal.h"

#include <cstdio>

namespace troupe::program {

using std::chrono::steady_clock;

BatchProgress::~BatchProgress() {
  if (shown_ != steady_clock::time_point{}) std::fputs("\r\x1b[K", stderr);
}

void BatchProgress::show() {
  const auto now = steady_clock::now();
  if (!messages_are_terminal() || now - begin_ < std::chrono::seconds(2) ||
      now - shown_ < std::chrono::milliseconds(500))
    return;
  shown_ = now;
  const auto stats = engine_.stats();
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  std::fprintf(stderr, "\r\x1b[K%lld answered, %lld running, %lld waiting, %.0f tokens/s",
               static_cast<long long>(sum_of(stats, "finished")),
               static_cast<long long>(sum_of(stats, "running")),
               static_cast<long long>(sum_of(stats, "waiting")),
               static_cast<double>(sum_of(stats, "scheduled_tokens")) / seconds);
  std::fflush(stderr);
}

std::string batch_summary(Engine& engine) {
  const auto stats = engine.stats();
  const auto failed = sum_of(stats, "failed") + sum_of(stats, "refused");
  return std::to_string(sum_of(stats, "finished")) + " requests answered" +
         (failed > 0 ? ", " + std::to_string(failed) + " failed" : "") + "; " +
         std::to_string(sum_of(stats, "scheduled_tokens")) + " tokens computed";
}

}  // namespace troupe::program
