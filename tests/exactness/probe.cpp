#include "probe.h"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>

namespace troupe::exactness {
namespace {

constexpr std::int32_t kInterloperPriority = 10;
constexpr std::int32_t kOthersPriority = 5;
/// The probe is interrupted once it has so many tokens.
constexpr std::size_t kInterruptAfter = 3;

std::string words(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "word" + std::to_string(random() % 100) + " ";
  return text;
}

Request completion(std::string text, std::int64_t max_tokens) {
  Request request;
  request.kind = RequestKind::completion;
  request.prompt = {{std::move(text), false}};
  request.sampling.temperature = 0;
  request.sampling.seed = 1;
  request.stop.max_tokens = max_tokens;
  request.stop.ignore_eos = true;
  return request;
}

/// Requests under way, and what came of them.
class Batch {
 public:
  explicit Batch(Engine& engine) : engine_(engine) {}

  /// `on_tokens` is told how many tokens the request has, each time there are more.
  std::size_t submit(Request request, std::function<void(std::size_t)> on_tokens = {}) {
    std::size_t index = 0;
    {
      const std::lock_guard guard(mutex_);
      index = answers_.size();
      answers_.emplace_back();
      ++open_;
    }
    auto id = engine_.submit(std::move(request), [this, index, on_tokens](const TokenEvent& event) {
      std::size_t made = 0;
      {
        const std::lock_guard guard(mutex_);
        answers_[index].add(event);
        if (!answers_[index].choices.empty()) made = answers_[index].choices[0].token_ids.size();
      }
      if (on_tokens && !event.token_ids.empty()) on_tokens(made);
      if (event.last) end();
    });
    if (!id) {
      answers_[index].error = id.error();
      end();
    }
    return index;
  }

  /// Waits for all. Errors: the first one of a request.
  Result<std::vector<Answer>> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_ == 0; });
    for (const auto& answer : answers_)
      if (answer.error) return fail(*answer.error);
    return std::move(answers_);
  }

 private:
  void end() {
    const std::lock_guard guard(mutex_);
    --open_;
    changed_.notify_all();
  }

  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Answer> answers_;
  std::size_t open_ = 0;
};

Essence essence(const Answer& answer) {
  const auto& choice = answer.choices.at(0);
  Essence essence{choice.token_ids, choice.text, {}};
  for (const auto& score : choice.scores) {
    essence.logprob_bits.push_back(std::bit_cast<std::uint32_t>(score.chosen.logprob));
    for (const auto& token : score.top)
      essence.logprob_bits.push_back(std::bit_cast<std::uint32_t>(token.logprob));
  }
  return essence;
}

/// Somebody else's request: every third one begins as the probe does, so that they share blocks.
Request other(int index, const Request& probe, const Workload& workload) {
  const auto& text = probe.prompt.front().text;
  const auto seed = static_cast<unsigned>(100 + index);
  auto request = completion(index % 3 == 0 ? text.substr(0, text.size() * 2 / 3) + words(seed, 3)
                                           : words(seed, 1 + index % workload.prompt_words),
                            workload.other_tokens + index % 8);
  request.cache_salt = probe.cache_salt;
  request.priority = kOthersPriority;
  request.sampling.temperature = index % 2 ? 0.8f : 0.0f;
  return request;
}

/// `pace`: of the steps from the interruption until those who interrupt have their first token.
Result<Answer> run_probe(Engine& engine, LogitsLedger& ledger, const Cell& cell,
                         const Request& probe, const Workload& workload,
                         std::chrono::microseconds pace) {
  Batch batch(engine);
  for (int i = 0; i < cell.num_before(); ++i)
    batch.submit(other(i, probe, workload));
  bool interrupted = cell.preemption == Preemption::never;
  const auto interrupt = [&](std::size_t made) {
    if (interrupted || made < kInterruptAfter) return;
    interrupted = true;
    ledger.pace = pace;
    // As many as there are seats: whoever sits there now, one of them gets the probe's.
    for (int i = 0; i <= cell.num_others(); ++i) {
      auto interloper = completion("x", 6);
      interloper.priority = kInterloperPriority;
      batch.submit(std::move(interloper),
                   [&](std::size_t) { ledger.pace = std::chrono::microseconds(0); });
    }
  };
  const auto index = batch.submit(probe, interrupt);
  for (int i = cell.num_before(); i < cell.num_others(); ++i)
    batch.submit(other(i, probe, workload));
  auto answers = batch.wait();
  if (!answers) return fail(answers.error());
  return std::move((*answers)[index]);
}

std::int64_t stat(Engine& engine, std::string_view name, std::string_view figure) {
  const auto stats = engine.stats();
  for (const auto& one : stats.as_array())
    if (one.find("operator")->as_string() == name) return one.find(figure)->as_int();
  return 0;
}

/// Runs a probe until it was interrupted as the cell says: on a fast machine the one who interrupts
/// may come too late, and then everything goes at a slower pace.
Result<Answer> run_interrupted(Engine& engine, LogitsLedger& ledger, const Cell& cell,
                               const Request& probe, const Workload& workload, Outcome& outcome) {
  constexpr int kMostAttempts = 8;
  const auto preemptions = [&] { return stat(engine, "scheduler", "preemptions"); };
  const auto swaps = [&] { return stat(engine, "scheduler", "swaps"); };
  std::chrono::microseconds pace(cell.preemption == Preemption::never ? 0 : 200);
  for (int attempt = 1;; ++attempt, pace *= 2) {
    const auto preemptions_before = preemptions();
    const auto swaps_before = swaps();
    auto answer = run_probe(engine, ledger, cell, probe, workload, pace);
    if (!answer) return answer;
    const bool preempted = preemptions() > preemptions_before;
    if (cell.preemption != Preemption::never && !preempted && attempt < kMostAttempts) continue;
    outcome.preempted += preempted ? 1 : 0;
    outcome.swapped += swaps() > swaps_before ? 1 : 0;
    return answer;
  }
}

}  // namespace

std::vector<Request> probes(const Workload& workload) {
  std::vector<Request> all;
  const auto text = words(1, workload.prompt_words);
  all.push_back(completion(text, 16));
  all.back().sampling.temperature = 1.0f;
  all.back().sampling.seed = 42;
  all.back().sampling.logprobs = 3;
  all.push_back(completion(text, 12));
  all.push_back(completion(words(2, workload.prompt_words - 2), 10));
  all.back().sampling.temperature = 0.7f;
  all.back().sampling.top_p = 0.9f;
  all.back().sampling.top_k = 40;
  all.back().sampling.repetition_penalty = 1.2f;
  all.resize(std::min(all.size(), workload.num_probes));
  return all;
}

Result<Outcome> run_cell(Engine& engine, LogitsLedger& ledger, const Cell& cell,
                         const Workload& workload) {
  Outcome outcome;
  int salt = 0;
  for (auto& probe : probes(workload)) {
    // A salt of its own makes the cache cold for a probe.
    probe.cache_salt = "salt " + std::to_string(++salt);
    if (cell.cache == Cache::warm)
      if (auto first = engine.generate(probe); !first || first->error)
        return fail(first ? *first->error : first.error());
    auto answer = run_interrupted(engine, ledger, cell, probe, workload, outcome);
    if (!answer) return fail(answer.error());
    outcome.answers.push_back(essence(*answer));
    outcome.cached_tokens += answer->usage.cached_tokens;
  }
  return outcome;
}

}  // namespace troupe::exactness
