#pragma once
#include "text_encoder.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace troupe::bpe {

/// Lends workspaces to encode calls, so that caches outlive a call and no two calls share one. Any
/// thread may call it. It keeps at most kKept; more calls at a time make workspaces of their own.
class WorkspacePool {
 public:
  static constexpr std::size_t kKept = 8;

  std::unique_ptr<Workspace> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto workspace = std::move(idle_.back());
        idle_.pop_back();
        return workspace;
      }
    }
    return std::make_unique<Workspace>();
  }

  void give_back(std::unique_ptr<Workspace> workspace) {
    workspace->trim();
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kKept) idle_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace troupe::bpe
