#include "batch_job.h"

#include "troupe/core/json.h"
#include "troupe/core/request_json.h"

namespace troupe::jsonl {
namespace {

constexpr auto kReportEvery = std::chrono::seconds(2);
constexpr auto kRetryAfter = std::chrono::milliseconds(50);

std::string_view name_key(bool openai) {
  return openai ? "custom_id" : "id";
}

/// Adds an event to what its choice has so far.
void add(Value::Array& choices, const TokenEvent& event) {
  const auto index = static_cast<std::size_t>(event.choice);
  while (choices.size() <= index) {
    Value choice;
    choice.set("text", "");
    choice.set("token_ids", Value::Array{});
    choices.push_back(std::move(choice));
  }
  Value& choice = choices[index];
  choice.set("text", choice.find("text")->as_string() + event.text);
  Value ids = *choice.find("token_ids");
  for (const auto id : event.token_ids)
    ids.as_array().emplace_back(static_cast<std::int64_t>(id));
  choice.set("token_ids", std::move(ids));
  if (event.finish != FinishReason::none) choice.set("finish_reason", to_string(event.finish));
}

}  // namespace

Result<std::unique_ptr<BatchJob>> BatchJob::start(const Options& options, RequestSink& sink) {
  if (!std::ifstream(options.input))
    return fail(ErrorCode::not_found, "input = \"" + options.input + "\": cannot be opened");
  auto results = ResultsFile::open(options.output, options.input);
  if (!results) return fail_at("output", results.error());
  return std::unique_ptr<BatchJob>(new BatchJob(options, sink, std::move(*results)));
}

BatchJob::BatchJob(const Options& options, RequestSink& sink, std::unique_ptr<ResultsFile> results)
    : options_(options), sink_(sink), results_(std::move(results)), input_(options.input) {
  thread_ = std::thread([this] { run(); });
}

BatchJob::~BatchJob() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BatchJob::run() {
  std::int64_t number = 0;
  for (std::string line; std::getline(input_, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    {
      std::unique_lock lock(mutex_);
      if (!wait_for_room(lock)) return;
    }
    handle_line(line, number);
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return under_way_.empty() || stopping_; });
  if (stopping_) return;
  report(true);
  lock.unlock();
  sink_.finished();
}

bool BatchJob::wait_for_room(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] {
    return stopping_ || static_cast<std::int64_t>(under_way_.size()) < options_.window;
  });
  return !stopping_;
}

void BatchJob::handle_line(const std::string& line, std::int64_t number) {
  const auto now = std::chrono::steady_clock::now();
  const auto json = parse_json(line);
  const bool openai = json && json->find("custom_id");
  std::string name = json ? name_of(*json) : "";
  if (name.empty()) name = "line-" + std::to_string(number);
  {
    const std::lock_guard guard(mutex_);
    if (results_->done().contains(name)) {
      ++skipped_;
      return;
    }
  }
  if (!names_.insert(name).second)
    return write_error(
        name, openai,
        Error(ErrorCode::invalid_argument, "line " + std::to_string(number) + ": the id '" + name +
                                               "' stands in an earlier line as well"));
  auto request = !json    ? Result<Request>(fail(json.error()))
                 : openai ? parse_openai_batch_line(*json, now)
                          : parse_request(*json, now);
  if (!request)
    return write_error(name, openai, request.error().at("line " + std::to_string(number)));
  submit(std::move(*request), std::move(name), openai);
}

void BatchJob::submit(Request request, std::string name, bool openai) {
  std::unique_lock lock(mutex_);
  for (;;) {
    // Under the lock, so that no event comes before its request is known.
    auto id = sink_.submit(request);
    if (id) {
      under_way_.emplace(*id, UnderWay{std::move(name), openai, {}});
      return;
    }
    if (id.error().code() != ErrorCode::resource_exhausted) {
      lock.unlock();
      if (id.error().code() != ErrorCode::cancelled) write_error(name, openai, id.error());
      return;
    }
    if (changed_.wait_for(lock, kRetryAfter, [&] { return stopping_; })) return;
  }
}

void BatchJob::deliver(const TokenEvent& event) {
  std::unique_lock lock(mutex_);
  const auto it = under_way_.find(event.context->id);
  if (it == under_way_.end()) return;
  if (!event.error) add(it->second.choices, event);
  if (!event.last) return;
  UnderWay request = std::move(it->second);
  under_way_.erase(it);
  lock.unlock();
  // One that was taken back by a shutdown has no result: the next run makes it again.
  if (event.error) {
    write_error(request.name, request.openai, *event.error);
  } else if (event.finish != FinishReason::cancelled) {
    Value result;
    result.set(name_key(request.openai), request.name);
    if (request.choices.size() == 1)
      for (auto& [key, value] : request.choices[0].as_object())
        result.set(key, std::move(value));
    else
      result.set("choices", std::move(request.choices));
    result.set("usage", usage_to_json(event.usage));
    write(std::move(result));
  }
  changed_.notify_all();
}

void BatchJob::write_error(const std::string& name, bool openai, const Error& error) {
  Value result;
  result.set(name_key(openai), name);
  result.set("error", error_to_json(error));
  write(std::move(result));
}

void BatchJob::write(Value result) {
  const std::lock_guard guard(mutex_);
  ++done_;
  if (result.find("error")) ++failed_;
  results_->append(result);
  if (auto written = results_->flush(); !written) {
    sink_.announce(written.error().message() + "; the job stops here and can be resumed");
    stopping_ = true;
    sink_.finished();
  }
  report(false);
}

void BatchJob::report(bool last) {
  const auto now = std::chrono::steady_clock::now();
  if (!last && now - last_report_ < kReportEvery) return;
  last_report_ = now;
  sink_.announce(std::to_string(done_) + " done" +
                 (failed_ ? ", " + std::to_string(failed_) + " failed" : "") +
                 (skipped_ ? ", " + std::to_string(skipped_) + " were done before" : "") +
                 (last ? "; finished" : ""));
}

}  // namespace troupe::jsonl
