#pragma once
#include "results_file.h"
#include "troupe/api/ingress.h"

#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>

namespace troupe::jsonl {

/// Reads requests from a file, keeps a number of them under way and writes each result when it is
/// there.
class BatchJob {
 public:
  struct Options {
    std::string input;
    std::string output;
    std::int64_t window = 0;  // requests under way
  };

  /// Opens both files and starts reading. Errors: not_found, invalid_argument, device.
  static Result<std::unique_ptr<BatchJob>> start(const Options& options, RequestSink& sink);
  ~BatchJob();

  void deliver(const TokenEvent& event);

 private:
  struct UnderWay {
    std::string name;
    bool openai = false;
    Value::Array choices;
  };

  BatchJob(const Options& options, RequestSink& sink, std::unique_ptr<ResultsFile> results);
  void run();
  void handle_line(const std::string& line, std::int64_t number);
  void submit(Request request, std::string name, bool openai);
  void write(Value result);
  void write_error(const std::string& name, bool openai, const Error& error);
  void report(bool last);
  bool wait_for_room(std::unique_lock<std::mutex>& lock);

  const Options options_;
  RequestSink& sink_;
  std::unique_ptr<ResultsFile> results_;
  std::ifstream input_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<RequestId, UnderWay> under_way_;
  std::set<std::string> names_;
  std::int64_t done_ = 0, failed_ = 0, skipped_ = 0;
  std::chrono::steady_clock::time_point last_report_{};
  bool stopping_ = false;
  std::thread thread_;  // last: it starts when everything above exists
};

}  // namespace troupe::jsonl
