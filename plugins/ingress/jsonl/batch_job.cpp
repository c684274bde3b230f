#include "batch_job.h"

#include "troupe/core/json.h"
#include "troupe/core/request_json.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

namespace troupe::jsonl {
namespace {

constexpr auto kReportEvery = std::chrono::seconds(2);
constexpr auto kLastWords = std::chrono::seconds(1);  // for a pipe's reader, when the job stops

Result<FileDescriptor> open_input(const std::string& path) {
  const auto place = "input = \"" + path + "\"";
  // A pipe without a writer must not hold up the start.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file)
    return fail(ErrorCode::not_found, place + ": cannot be opened: " + std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode))
    return fail(ErrorCode::invalid_argument, place + ": found a folder; expected a file (JSONL)");
  return file;
}

/// A pipe whose reader has gone is an error of write, not a signal that ends the program.
void keep_broken_pipes_quiet() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::string line_name(std::int64_t number) {
  return "line-" + std::to_string(number);
}

std::string line_place(std::int64_t number) {
  return "line " + std::to_string(number);
}

}  // namespace

Result<std::unique_ptr<BatchJob>> BatchJob::start(const Options& options, RequestSink& sink) {
  auto input = open_input(options.input);
  if (!input) return fail(input.error());
  auto results = ResultsFile::open(options.output, options.input);
  if (!results) return fail_at("output", results.error());
  FileDescriptor wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake) return file_error("eventfd", "cannot be made");
  return std::unique_ptr<BatchJob>(
      new BatchJob(options, sink, std::move(*input), std::move(wake), std::move(*results)));
}

BatchJob::BatchJob(const Options& options, RequestSink& sink, FileDescriptor input,
                   FileDescriptor wake, std::unique_ptr<ResultsFile> results)
    : options_(options),
      sink_(sink),
      input_(std::move(input)),
      wake_(std::move(wake)),
      results_(std::move(results)),
      reader_(input_.get(), static_cast<std::size_t>(options.max_line_bytes)) {
  thread_ = std::thread([this] { run(); });
}

BatchJob::~BatchJob() {
  stopping_ = true;
  wake();
  thread_.join();
}

void BatchJob::wake() {
  // Fails only when the counter is full, and then the thread is woken already.
  static_cast<void>(::eventfd_write(wake_.get(), 1));
}

void BatchJob::run() noexcept {
  try {
    keep_broken_pipes_quiet();
    work();
  } catch (const std::exception& fault) {
    stop_early(fault.what());
  } catch (...) {
    stop_early("an exception of an unknown kind");
  }
}

void BatchJob::work() {
  while (!stopping_)
    if (!step()) return;
  write_rest();
}

/// Does what can be done now, then waits for more; false when the job has ended.
bool BatchJob::step() {
  submit_due(take_ended());
  if (const auto flushed = results_->flush(); !flushed) {
    stop_early(flushed.error().message());
    return false;
  }
  if (at_end()) {
    report(cut_off_ ? "; stopped before the end, and can be resumed" : "; finished");
    sink_.finished();
    return false;
  }
  const bool reading = may_read();
  if (reading) {
    if (const auto line = reader_.take()) {
      handle_line(*line);
      return true;
    }
    read_to_end_ = reader_.ended();
    if (read_to_end_) return true;
  }
  if (const auto waited = wait(reading); !waited) {
    stop_early(waited.error().message());
    return false;
  }
  return true;
}

bool BatchJob::at_end() {
  if (!(read_to_end_ || cut_off_) || !later_.empty() || results_->pending()) return false;
  const std::lock_guard guard(mutex_);
  return under_way_.empty() && ended_.empty();
}

bool BatchJob::may_read() {
  if (read_to_end_ || cut_off_ || !later_.empty() || results_->pending()) return false;
  const std::lock_guard guard(mutex_);
  return static_cast<std::int64_t>(under_way_.size() + ended_.size()) < options_.window;
}

Result<void> BatchJob::wait(bool for_input) {
  pollfd files[] = {{wake_.get(), POLLIN, 0},
                    {for_input ? input_.get() : -1, POLLIN, 0},
                    {results_->pending() ? results_->descriptor() : -1, POLLOUT, 0}};
  int timeout_ms = -1;
  if (!later_.empty()) {
    const auto left = later_.begin()->first - Clock::now();
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    timeout_ms = static_cast<int>(std::max<std::int64_t>(whole, 0));
  }
  if (::poll(files, std::size(files), timeout_ms) < 0 && errno != EINTR)
    return file_error("poll", "failed");
  if (files[0].revents != 0) {
    eventfd_t count = 0;
    static_cast<void>(::eventfd_read(wake_.get(), &count));
  }
  if (files[1].revents == 0) return {};
  auto filled = reader_.fill();
  if (!filled) return fail_at(options_.input, filled.error());
  return filled;
}

void BatchJob::handle_line(const LineReader::Line& line) {
  if (line.too_long)
    return write(error_line(
        line_name(line.number), false,
        Error(ErrorCode::invalid_argument,
              line_place(line.number) + ": is longer than max_line_bytes = " +
                  std::to_string(options_.max_line_bytes) + "; shorten it or raise the limit")));
  if (line.text.find_first_not_of(" \t\r") == std::string::npos) return;
  const auto now = Clock::now();
  const auto json = parse_json(line.text);
  const bool openai = json && json->find("custom_id");
  std::string name = json ? name_of(*json) : "";
  if (name.empty()) name = line_name(line.number);
  if (!is_new(name, openai, line.number)) return;
  auto request = !json    ? Result<Request>(fail(json.error()))
                 : openai ? parse_openai_batch_line(*json, now)
                          : parse_request(*json, now);
  if (!request) return write(error_line(name, openai, request.error().at(line_place(line.number))));
  auto item = std::make_unique<BatchItem>();
  item->name = std::move(name);
  item->openai = openai;
  item->request = std::move(*request);
  submit(std::move(item));
}

/// Whether the name has no result yet. An id that stands twice gets an error under a name of its
/// own: one id stands for one result, in this run and in later ones.
bool BatchJob::is_new(const std::string& name, bool openai, std::int64_t number) {
  if (!names_.insert(name).second) {
    ++duplicates_;
    write(error_line(
        name + "#" + line_name(number), openai,
        Error(ErrorCode::invalid_argument,
              line_place(number) + ": the id '" + name + "' stands in an earlier line as well")));
    return false;
  }
  if (!results_->done().contains(name)) return true;
  ++skipped_;
  return false;
}

void BatchJob::submit(BatchItemPtr item) {
  std::unique_lock lock(mutex_);
  // Under the lock, so that no event comes before its request is known.
  const auto id = sink_.submit(item->request);
  if (id) {
    under_way_.emplace(*id, std::move(item));
    return;
  }
  lock.unlock();
  if (id.error().code() == ErrorCode::cancelled)
    cut_off_ = true;
  else if (id.error().code() == ErrorCode::resource_exhausted)
    try_later(std::move(item), id.error());
  else
    write(error_line(item->name, item->openai, id.error()));
}

/// Sends again what waited long enough, and as many more as places became free.
void BatchJob::submit_due(std::size_t places) {
  if (cut_off_) later_.clear();
  for (const auto now = Clock::now();
       !later_.empty() && (later_.begin()->first <= now || places-- > 0);)
    submit(std::move(later_.extract(later_.begin()).mapped()));
}

void BatchJob::try_later(BatchItemPtr item, const Error& error) {
  std::uint64_t progress = 0;
  {
    const std::lock_guard guard(mutex_);
    progress = progress_;
  }
  const auto delay = item->refusals.next(progress, item->answer.retry_after_ms);
  if (!delay) return write(error_line(item->name, item->openai, error));
  item->answer = {};
  later_.emplace(Clock::now() + *delay, std::move(item));
}

void BatchJob::deliver(const TokenEvent& event) {
  {
    const std::lock_guard guard(mutex_);
    const auto it = under_way_.find(event.context->id);
    if (it == under_way_.end()) return;
    it->second->answer.add(event);
    if (!event.error) ++progress_;
    if (!event.last) return;
    it->second->finish = event.finish;
    ended_.push_back(std::move(it->second));
    under_way_.erase(it);
  }
  wake();
}

/// How many requests have left the pipeline with a result.
std::size_t BatchJob::take_ended() {
  std::vector<BatchItemPtr> ended;
  {
    const std::lock_guard guard(mutex_);
    ended.swap(ended_);
  }
  std::size_t places = 0;
  for (auto& item : ended)
    places += settle(std::move(item)) ? 1 : 0;
  return places;
}

/// Writes the result; false when there is none yet.
bool BatchJob::settle(BatchItemPtr item) {
  const auto& error = item->answer.error;
  if (error && error->code() == ErrorCode::resource_exhausted && item->answer.retry_after_ms > 0) {
    const Error full = *error;
    try_later(std::move(item), full);
    return false;
  }
  // One that was taken back by a shutdown has no result: the next run makes it again.
  if (!error && item->finish == FinishReason::cancelled) {
    cut_off_ = true;
    return false;
  }
  write(error ? error_line(item->name, item->openai, *error) : result_line(*item));
  return true;
}

void BatchJob::write(const Value& line) {
  ++done_;
  if (line.find("error")) ++failed_;
  results_->append(line);
  if (Clock::now() - last_report_ >= kReportEvery) report("");
}

void BatchJob::report(std::string_view end) {
  last_report_ = Clock::now();
  sink_.announce(
      std::to_string(done_) + " done" +
      (failed_ ? ", " + std::to_string(failed_) + " failed" : "") +
      (duplicates_ ? " (" + std::to_string(duplicates_) + " for an id given twice)" : "") +
      (skipped_ ? ", " + std::to_string(skipped_) + " were done before" : "") + std::string(end));
}

/// What was answered before the stop is kept, if the file takes it soon.
void BatchJob::write_rest() {
  take_ended();
  const auto until = Clock::now() + kLastWords;
  for (;;) {
    const auto flushed = results_->flush();
    if (!flushed) return sink_.announce(flushed.error().message() + "; the job can be resumed");
    if (*flushed || Clock::now() >= until) return;
    pollfd file{results_->descriptor(), POLLOUT, 0};
    ::poll(&file, 1, 100);
  }
}

/// Says once why the job ends, and takes back what is under way: its results could not be kept.
void BatchJob::stop_early(std::string_view why) noexcept {
  try {
    std::unordered_map<RequestId, BatchItemPtr> dropped;
    {
      const std::lock_guard guard(mutex_);
      dropped.swap(under_way_);
    }
    sink_.announce(std::string(why) + "; the job stops here and can be resumed");
    for (const auto& [id, item] : dropped)
      sink_.cancel(id);
  } catch (...) {  // without memory there are no words; that it ended is told below
  }
  sink_.finished();
}

}  // namespace troupe::jsonl
