#pragma once
#include "troupe/api/result.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace troupe::program {

/// Whether standard input, output or error is a terminal.
bool input_is_terminal();
bool output_is_terminal();
bool messages_are_terminal();

/// `text` in a colour when standard error is a terminal and NO_COLOR is not set.
std::string dimmed(std::string_view text);
std::string bold(std::string_view text);

/// "1 model", "2 models".
std::string counted(std::size_t count, std::string_view noun);

/// Standard input to its end. On a terminal, says first that `what` is awaited. Errors: device.
Result<std::string> read_input(std::string_view what);

/// Writes to standard output at once. False when it cannot be written.
bool print_now(std::string_view text);

/// A line on standard error that says what takes so long: it appears when something takes longer
/// than two seconds, counts the seconds, and is wiped when it ends. On a terminal only.
class ProgressLine {
 public:
  explicit ProgressLine(std::string text);
  ~ProgressLine();
  void set_text(std::string text);

 private:
  void show();

  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;
  std::string text_;
  std::thread thread_;
};

}  // namespace troupe::program
