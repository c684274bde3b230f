// The door for batch jobs: a file of requests in, a file of results out.
#include "batch_job.h"
#include "troupe/api/plugin.h"

namespace {

using namespace troupe;

constexpr ParamSpec kParams[] = {
    {.name = "input",
     .type = ParamType::text,
     .default_value = "",
     .help = "file of requests, one JSON object a line: a request, or an OpenAI batch line"},
    {.name = "output",
     .type = ParamType::text,
     .default_value = "",
     .help = "file of results, one a line, as they come; a later run goes on where an earlier one "
             "ended"},
    {.name = "window",
     .type = ParamType::integer,
     .default_value = "64",
     .help = "requests under way at once",
     .unit = "requests",
     .min = 1,
     .max = 65536},
    {.name = "max_line_bytes",
     .type = ParamType::integer,
     .default_value = "16777216",
     .help = "longest request line; a longer one gets an error as its result",
     .unit = "bytes",
     .min = 1,
     .max = 1073741824},
};

class Jsonl final : public Ingress {
 public:
  Result<void> configure(const Params& params) override {
    options_ = {params.get_text("input"), params.get_text("output"), params.get_int("window"),
                params.get_int("max_line_bytes")};
    return {};
  }

  Result<void> open(RequestSink& sink) override {
    auto job = jsonl::BatchJob::start(options_, sink);
    if (!job) return fail(job.error());
    job_ = std::move(*job);
    return {};
  }

  void deliver(const TokenEvent& event) override {
    if (job_) job_->deliver(event);
  }

  void stop() noexcept override { job_.reset(); }

 private:
  jsonl::BatchJob::Options options_;
  std::unique_ptr<jsonl::BatchJob> job_;
};

constexpr OperatorSpec kSpec = make_operator<Jsonl, OperatorKind::ingress>(
    "jsonl", "batch door: JSON lines in, JSON lines out, resumable", "", kParams,
    {.threads = ThreadRule::owns_threads});

}  // namespace

TROUPE_PLUGIN(ingress, jsonl, kSpec)
