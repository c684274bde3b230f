#pragma once
#include "troupe/actors/shell.h"

#include <cstdint>

namespace troupe::actors {

/// Owns a key-value cache's books and answers the scheduler of its token loop.
class KvCacheShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_reserve(const StepStatePtr& step);
  void check_books_when_idle();
  void lost(const Error& cause);
  Value stats() override;

  std::int64_t book_failures_ = 0;
  Time last_check_{};
};

}  // namespace troupe::actors
