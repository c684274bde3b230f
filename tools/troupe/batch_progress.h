#pragma once
#include "troupe/engine/engine.h"

#include <chrono>
#include <string>

namespace troupe::program {

/// The line that says how far a batch is: on a terminal, after two seconds, twice a second.
class BatchProgress {
 public:
  explicit BatchProgress(Engine& engine) : engine_(engine) {}
  ~BatchProgress();
  void show();

 private:
  Engine& engine_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_{};
};

/// "12 requests answered, 1 failed; 480 tokens computed".
std::string batch_summary(Engine& engine);

}  // namespace troupe::program
