#include "bench/load.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace troupe::program {
namespace {

/// Requests under way and what they have gone through so far.
class Load {
 public:
  /// `on_end` is called after each request's end, `on_tokens` (if any) when one got tokens.
  Load(Engine& engine, std::function<void()> on_end, std::function<void()> on_tokens = {})
      : engine_(engine), on_end_(std::move(on_end)), on_tokens_(std::move(on_tokens)) {}

  void submit(Request request) {
    {
      const std::lock_guard guard(mutex_);
      ++under_way_;
    }
    auto course = std::make_shared<Course>();
    course->sent = Clock::now();
    auto id = engine_.submit(std::move(request),
                             [this, course](const TokenEvent& event) { on_event(*course, event); });
    if (!id) end({}, id.error());
  }

  bool has_failed() {
    const std::lock_guard guard(mutex_);
    return error_.has_value();
  }

  Result<LoadFigures> wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return under_way_ == 0; });
    if (error_) return fail(*error_);
    figures_.seconds = milliseconds(Clock::now() - begin_) / 1000;
    return std::move(figures_);
  }

 private:
  struct Course {
    Clock::time_point sent;
    std::optional<Clock::time_point> last_token;
    RequestFigures figures;
  };

  void on_event(Course& course, const TokenEvent& event) {
    if (!event.token_ids.empty()) {
      const auto now = Clock::now();
      if (course.last_token)
        course.figures.itl_ms.push_back(milliseconds(now - *course.last_token));
      else
        course.figures.ttft_ms = milliseconds(now - course.sent);
      course.last_token = now;
      course.figures.tokens += static_cast<std::int64_t>(event.token_ids.size());
      if (on_tokens_) on_tokens_();
    }
    if (!event.last) return;
    course.figures.cached_tokens = event.usage.cached_tokens;
    end(std::move(course.figures), event.error);
  }

  void end(RequestFigures figures, const std::optional<Error>& error) {
    {
      const std::lock_guard guard(mutex_);
      if (error && !error_) error_ = error;
      figures_.requests.push_back(std::move(figures));
    }
    // What follows is sent before this one counts as ended: otherwise the load might seem over.
    on_end_();
    const std::lock_guard guard(mutex_);
    if (--under_way_ == 0) idle_.notify_all();
  }

  Engine& engine_;
  const std::function<void()> on_end_;
  const std::function<void()> on_tokens_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable idle_;
  std::int64_t under_way_ = 0;
  std::optional<Error> error_;
  LoadFigures figures_;
};

}  // namespace

void LoadFigures::add_to(Value& run) const {
  std::int64_t tokens = 0;
  std::vector<double> ttft, itl;
  for (const auto& request : requests) {
    tokens += request.tokens;
    ttft.push_back(request.ttft_ms);
    itl.insert(itl.end(), request.itl_ms.begin(), request.itl_ms.end());
  }
  run.set("requests_per_s", static_cast<double>(requests.size()) / seconds);
  run.set("tokens_per_s", static_cast<double>(tokens) / seconds);
  run.set("ttft_p50_ms", quantile(ttft, 0.5));
  run.set("ttft_p99_ms", quantile(ttft, 0.99));
  run.set("itl_p50_ms", quantile(itl, 0.5));
  run.set("itl_p99_ms", quantile(itl, 0.99));
  run.set("itl_max_ms", quantile(itl, 1.0));
}

Result<LoadFigures> run_clients(Engine& engine, std::int64_t clients,
                                std::function<std::optional<Request>()> next,
                                std::function<void()> on_tokens) {
  std::mutex mutex;
  std::function<void()> send_next;
  Load load(
      engine, [&send_next] { send_next(); }, std::move(on_tokens));
  send_next = [&] {
    if (load.has_failed()) return;
    std::optional<Request> request;
    {
      const std::lock_guard guard(mutex);
      request = next();
    }
    if (request) load.submit(std::move(*request));
  };
  for (std::int64_t i = 0; i < clients; ++i)
    send_next();
  return load.wait();
}

Result<LoadFigures> run_arrivals(Engine& engine, std::vector<Arrival> arrivals) {
  Load load(engine, [] {});
  const auto begin = Clock::now();
  for (auto& arrival : arrivals) {
    std::this_thread::sleep_until(begin + arrival.at);
    load.submit(std::move(arrival.request));
  }
  return load.wait();
}

}  // namespace troupe::program
