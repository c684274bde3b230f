// An executor that a test holds: while a file of the test's exists it stands still, so that the
// program is caught at work for sure and not by good timing. Its tokens spell the alphabet.
#include "troupe/api/plugin.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace {

using namespace troupe;
namespace fs = std::filesystem;

/// Steps that still run once the file is there: an answer that is held has begun.
constexpr int kStepsBeforeHold = 5;
constexpr TokenId kLetterA = 65 + 3;  // of the tiny model's vocabulary
constexpr std::int32_t kLetters = 26;
constexpr std::int32_t kVocab = 384;

constexpr ParamSpec kParams[] = {
    {.name = "hold",
     .type = ParamType::text,
     .default_value = "\"\"",
     .help = "steps stand still while this file exists, and make FILE.reached first"},
    {.name = "hold_start",
     .type = ParamType::text,
     .default_value = "\"\"",
     .help = "so does the start"},
    {.name = "step_us",
     .type = ParamType::integer,
     .default_value = "0",
     .help = "what a step takes",
     .unit = "us",
     .min = 0,
     .max = 1000000},
};

/// Tells by FILE.reached that it got there.
void stand_still_at(const std::string& file) {
  if (file.empty()) return;
  std::ofstream(file + ".reached");
  std::error_code error;
  while (fs::exists(file, error))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class Held final : public Executor {
 public:
  Result<void> configure(const Params& params) override {
    hold_ = params.get_text("hold");
    hold_start_ = params.get_text("hold_start");
    step_ = std::chrono::microseconds(params.get_int("step_us"));
    info_.vocab_size = kVocab;
    info_.context_len = 1 << 20;
    info_.num_blocks = 1 << 20;
    info_.max_batch_tokens = 8192;
    info_.architecture = "held";
    info_.device = info_.activations = info_.kv_precision = info_.kernels = "none";
    return {};
  }

  Result<void> start(Resources&) override {
    stand_still_at(hold_start_);
    return {};
  }

  const ExecutorInfo& info() const override { return info_; }

  void submit(const StepPlan& plan, const Done& done) override {
    wait();
    logits_.assign(plan.num_rows * std::size_t{kVocab}, 0.0f);
    for (const auto& segment : plan.segments)
      if (segment.rows == RowsWanted::last) {
        const auto position = segment.first_position + segment.num_tokens;
        logits_[segment.first_row * std::size_t{kVocab} +
                static_cast<std::size_t>(kLetterA + position % kLetters)] = 1.0f;
      }
    result_.clear();
    result_.step = plan.step;
    result_.logits = {logits_.data(), plan.num_rows, kVocab};
    done(result_);
  }

 private:
  void wait() {
    if (step_.count() > 0) std::this_thread::sleep_for(step_);
    std::error_code error;
    const bool held = !hold_.empty() && fs::exists(hold_, error);
    steps_while_held_ = held ? steps_while_held_ + 1 : 0;
    if (steps_while_held_ <= kStepsBeforeHold) return;
    stand_still_at(hold_);
  }

  ExecutorInfo info_;
  std::string hold_, hold_start_;
  std::chrono::microseconds step_{0};
  int steps_while_held_ = 0;
  std::vector<float> logits_;
  StepResult result_;
};

constexpr OperatorSpec kSpec = make_operator<Held, OperatorKind::executor>(
    "held", "stands still while a file exists; for tests of the program", "", kParams);

}  // namespace

TROUPE_PLUGIN(executor, held, kSpec)
