#include "batch_job.h"

#include "test_folder.h"
#include "troupe/core/json.h"

#include <condition_variable>
#include <fcntl.h>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <sys/stat.h>

namespace troupe::jsonl {
namespace {

using namespace std::chrono_literals;

/// A pipeline that does with each request what the test says.
class FakeSink final : public RequestSink {
 public:
  Result<RequestId> submit(Request request) override {
    const std::lock_guard guard(mutex_);
    if (throws) throw std::runtime_error("thrown by the test");
    if (refuse_first > 0) {
      --refuse_first;
      return fail(ErrorCode::resource_exhausted, "full");
    }
    request.context = std::make_shared<RequestContext>();
    request.context->id = RequestId{++last_};
    taken_.push_back(request);
    changed_.notify_all();
    return request.context->id;
  }
  void cancel(RequestId) override { ++cancelled; }
  void finished() override {
    const std::lock_guard guard(mutex_);
    finished_ = true;
    changed_.notify_all();
  }
  void announce(std::string line) override {
    const std::lock_guard guard(mutex_);
    said_.push_back(std::move(line));
  }

  /// The requests that came, when there are that many.
  std::vector<Request> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 10s, [&] { return taken_.size() >= count; }));
    return taken_;
  }
  bool wait_finished() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return finished_; });
  }
  std::vector<std::string> said() {
    const std::lock_guard guard(mutex_);
    return said_;
  }

  bool throws = false;
  int refuse_first = 0;
  std::atomic<int> cancelled{0};

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Request> taken_;
  std::vector<std::string> said_;
  std::uint64_t last_ = 0;
  bool finished_ = false;
};

class BatchJobTest : public TestFolder {
 protected:
  std::unique_ptr<BatchJob> start(const std::string& output, std::int64_t max_line_bytes = 1000) {
    auto job = BatchJob::start({path("in"), output, 8, max_line_bytes}, sink_);
    if (job) return std::move(*job);
    ADD_FAILURE() << job.error().message();
    return nullptr;
  }

  static std::string requests(int count) {
    std::string lines;
    for (int i = 0; i < count; ++i)
      lines += "{\"id\":\"" + std::to_string(i) + "\",\"prompt\":\"p\"}\n";
    return lines;
  }

  static TokenEvent event(const Request& request, std::string text, bool last = true) {
    TokenEvent event;
    event.context = request.context;
    event.text = std::move(text);
    event.token_ids = {1, 2};
    event.last = last;
    if (last) event.finish = FinishReason::stop;
    return event;
  }

  static TokenEvent full(const Request& request) {
    TokenEvent event;
    event.context = request.context;
    event.last = true;
    event.finish = FinishReason::error;
    event.error = Error(ErrorCode::resource_exhausted, "the queue is full");
    event.retry_after_ms = 1;
    return event;
  }

  FakeSink sink_;
};

TEST_F(BatchJobTest, PutsTheEventsOfARequestTogether) {
  write("in", requests(1));
  auto job = start(path("out"));
  const auto taken = sink_.wait_for(1);
  job->deliver(event(taken[0], "ab", false));
  job->deliver(event(taken[0], "c"));
  EXPECT_TRUE(sink_.wait_finished());
  const auto line = parse_json(read("out"));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->find("text")->as_string(), "abc");
  EXPECT_EQ(*line->find("token_ids"), Value(Value::Array{1, 2, 1, 2}));
  EXPECT_EQ(line->find("finish_reason")->as_string(), "stop");
  EXPECT_EQ(sink_.said().back(), "1 done; finished");
}

TEST_F(BatchJobTest, SendsARequestAgainThatMetAFullQueue) {
  write("in", requests(2));
  sink_.refuse_first = 1;
  auto job = start(path("out"));
  auto taken = sink_.wait_for(2);
  job->deliver(full(taken[0]));
  job->deliver(full(taken[1]));
  taken = sink_.wait_for(4);
  job->deliver(event(taken[2], "x"));
  job->deliver(event(taken[3], "y"));
  EXPECT_TRUE(sink_.wait_finished());
  EXPECT_EQ(sink_.said().back(), "2 done; finished");
  EXPECT_EQ(read("out").find("error"), std::string::npos) << read("out");
}

TEST_F(BatchJobTest, StopsAtOnceWhenItsInputIsAPipeWithoutAWriter) {
  ASSERT_EQ(::mkfifo(path("in").c_str(), 0600), 0);
  auto job = start(path("out"));
  std::this_thread::sleep_for(20ms);
  const auto begin = std::chrono::steady_clock::now();
  job.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_EQ(read("out"), "");
}

TEST_F(BatchJobTest, AnswersAPipeWhileItIsStillOpen) {
  ASSERT_EQ(::mkfifo(path("in").c_str(), 0600), 0);
  auto job = start(path("out"));
  {
    const FileDescriptor writer(::open(path("in").c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_TRUE(write_all(writer.get(), requests(1), "in"));
    auto taken = sink_.wait_for(1);
    job->deliver(full(taken[0]));
    taken = sink_.wait_for(2);  // sent again although the pipe gives nothing
    job->deliver(event(taken[1], "x"));
    while (read("out").empty())
      std::this_thread::yield();
  }
  EXPECT_TRUE(sink_.wait_finished());
}

TEST_F(BatchJobTest, GivesALineThatIsTooLongAnErrorAndGoesOn) {
  write("in", std::string(300'000, 'x') + "\n" + requests(1));
  auto job = start(path("out"), 100);
  job->deliver(event(sink_.wait_for(1)[0], "x"));
  EXPECT_TRUE(sink_.wait_finished());
  EXPECT_NE(read("out").find(R"({"id":"line-1","error":{"code":"invalid_argument","message":)"
                             R"("line 1: is longer than max_line_bytes = 100;)"),
            std::string::npos)
      << read("out");
  EXPECT_EQ(sink_.said().back(), "2 done, 1 failed; finished");
}

TEST_F(BatchJobTest, TellsAWriteErrorOnceAndTakesTheRestBack) {
  write("in", requests(6));
  auto job = start("/dev/full");
  for (const auto& request : sink_.wait_for(6))
    if (request.context->id.value <= 3) job->deliver(event(request, "x"));
  EXPECT_TRUE(sink_.wait_finished());
  job.reset();
  int told = 0;
  for (const auto& line : sink_.said())
    told += line.find("No space left on device; the job stops here and can be resumed") !=
                    std::string::npos
                ? 1
                : 0;
  EXPECT_EQ(told, 1);
  EXPECT_GE(sink_.cancelled, 3);
}

TEST_F(BatchJobTest, EndsWithTheWordsOfAnException) {
  write("in", requests(1));
  sink_.throws = true;
  auto job = start(path("out"));
  EXPECT_TRUE(sink_.wait_finished());
  EXPECT_EQ(sink_.said().back(), "thrown by the test; the job stops here and can be resumed");
}

TEST_F(BatchJobTest, DoesNotCallAJobFinishedThatAShutdownCutOff) {
  write("in", requests(2));
  auto job = start(path("out"));
  const auto taken = sink_.wait_for(2);
  auto cancelled = event(taken[0], "");
  cancelled.finish = FinishReason::cancelled;
  job->deliver(event(taken[1], "x"));
  job->deliver(cancelled);
  EXPECT_TRUE(sink_.wait_finished());
  EXPECT_EQ(sink_.said().back(), "1 done; stopped before the end, and can be resumed");
}

TEST(Refusals, WaitLongerEachTimeAndEndWithoutProgress) {
  Refusals refusals;
  EXPECT_EQ(refusals.next(1, 0), 50ms);
  EXPECT_EQ(refusals.next(1, 0), 100ms);
  EXPECT_EQ(refusals.next(1, 700), 700ms);
  EXPECT_EQ(refusals.next(1, 1e300), 2000ms);
  for (int i = 5; i <= Refusals::kMaxWithoutProgress; ++i)
    EXPECT_TRUE(refusals.next(1, 0)) << i;
  EXPECT_EQ(refusals.next(1, 0), std::nullopt);
  EXPECT_EQ(refusals.next(2, 0), 2000ms);  // another request got further
}

}  // namespace
}  // namespace troupe::jsonl
