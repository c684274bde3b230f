#pragma once
#include <mutex>
#include <string>

namespace troupe::program {

/// Shows on standard error what a batch door announces: on a terminal a line that is written anew
/// each time, otherwise the last word alone. Any thread.
class BatchReport {
 public:
  void take(const std::string& line);
  /// Shows the last word. True when it says that the file was finished; otherwise it says why the
  /// door stopped before, such as a full disk.
  bool end();
  /// How many requests failed, by the last word.
  std::size_t failed();

 private:
  std::mutex mutex_;
  std::string last_;
};

}  // namespace troupe::program
