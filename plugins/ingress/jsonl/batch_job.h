#pragma once
#include "batch_item.h"
#include "line_reader.h"
#include "results_file.h"
#include "troupe/api/ingress.h"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace troupe::jsonl {

/// Reads requests from a file, keeps a number of them under way and writes each result when it is
/// there. One thread does all reading and writing; it waits on files and events at once, so that
/// neither a pipe without a writer nor one without a reader holds up anything else.
class BatchJob {
 public:
  struct Options {
    std::string input;
    std::string output;
    std::int64_t window = 0;          // requests under way
    std::int64_t max_line_bytes = 0;  // of a request
  };

  /// Opens both files and starts reading. Errors: not_found, invalid_argument, resource_exhausted
  /// (another job writes that output), device.
  static Result<std::unique_ptr<BatchJob>> start(const Options& options, RequestSink& sink);
  /// Writes what was answered, and leaves the rest to a later run.
  ~BatchJob();

  /// Any thread; never waits for a file.
  void deliver(const TokenEvent& event);

 private:
  using Clock = std::chrono::steady_clock;

  BatchJob(const Options& options, RequestSink& sink, FileDescriptor input, FileDescriptor wake,
           std::unique_ptr<ResultsFile> results);
  void run() noexcept;
  void work();
  bool step();
  bool at_end();
  bool may_read();
  Result<void> wait(bool for_input);
  void wake();
  void handle_line(const LineReader::Line& line);
  bool is_new(const std::string& name, bool openai, std::int64_t number);
  void submit(BatchItemPtr item);
  void submit_due(std::size_t places);
  std::size_t take_ended();
  bool settle(BatchItemPtr item);
  void try_later(BatchItemPtr item, const Error& error);
  void write(const Value& line);
  void report(std::string_view end);
  void write_rest();
  void stop_early(std::string_view why) noexcept;

  const Options options_;
  RequestSink& sink_;
  const FileDescriptor input_;
  const FileDescriptor wake_;  // an eventfd

  // Of the job's thread.
  std::unique_ptr<ResultsFile> results_;
  LineReader reader_;
  bool read_to_end_ = false;
  bool cut_off_ = false;                                  // by a shutdown, before the end
  std::multimap<Clock::time_point, BatchItemPtr> later_;  // met a full queue, by when to try again
  std::set<std::string> names_;
  std::int64_t done_ = 0, failed_ = 0, skipped_ = 0, duplicates_ = 0;
  Clock::time_point last_report_{};

  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::unordered_map<RequestId, BatchItemPtr> under_way_;
  std::vector<BatchItemPtr> ended_;
  std::uint64_t progress_ = 0;  // events that brought something
  std::thread thread_;          // last: it starts when everything above exists
};

}  // namespace troupe::jsonl
