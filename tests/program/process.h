#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace troupe::testing {

/// What a process left behind.
struct Finished {
  int exit_code = -1;  // -1: a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
  double seconds = 0;
};

/// The program as a process. What it prints is gathered while one of the calls below waits.
class Process {
 public:
  enum class Terminal { no, yes };

  /// Starts build/bin/troupe. With a terminal its three streams are one pseudo-terminal, and what
  /// it prints comes as `out`.
  explicit Process(const std::vector<std::string>& arguments, Terminal terminal = Terminal::no);
  /// Kills it when it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void write(const std::string& text);
  void close_input();
  void send_signal(int signal) const;

  /// Whether `text` appears on its standard error, or on its output after the previous call's
  /// match; waits for it.
  bool wait_for(const std::string& text,
                std::chrono::milliseconds limit = std::chrono::seconds(20));
  /// Waits, without reading, until its output's pipe takes no more; false when it never filled.
  bool wait_until_output_is_stuck();
  /// Waits, without reading, until it ends; false when it still runs after `limit`.
  bool ends_unread(std::chrono::milliseconds limit);
  /// Waits until it ends; kills it (signal = SIGKILL) when it takes longer than `limit`.
  Finished wait(std::chrono::milliseconds limit = std::chrono::seconds(60));

  const std::string& out() const { return out_; }
  const std::string& err() const { return err_; }

 private:
  /// Reads what is there, waiting at most `limit` for something; false when all streams ended.
  bool read_some(std::chrono::milliseconds limit);

  int pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;
  std::size_t searched_ = 0;
  std::string out_, err_;
  std::chrono::steady_clock::time_point begin_;
};

/// Starts the program, feeds it `input` and waits for its end.
Finished run_troupe(const std::vector<std::string>& arguments, const std::string& input = {});

}  // namespace troupe::testing
