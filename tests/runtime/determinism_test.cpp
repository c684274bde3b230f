// The product's promise, through the whole pipeline of real plugins: the tokens of a request depend
// on its prompt, parameters and seed alone.
#include "tiny_pipeline.h"

#include <condition_variable>
#include <mutex>
#include <random>

namespace troupe::testing {
namespace {

class Determinism : public TinyPipeline {
 protected:
  /// Requests of all sorts, the same at every call: greedy and drawn, with penalties, filters and
  /// stops.
  static std::vector<Request> requests() {
    std::mt19937 random(5);
    std::vector<Request> all;
    for (int i = 0; i < 24; ++i) {
      Request request;
      request.kind = RequestKind::completion;
      std::string text;
      for (std::size_t words = 1 + random() % 40; words > 0; --words)
        text += "word" + std::to_string(random() % 100) + " ";
      request.prompt = {{std::move(text), false}};
      request.sampling.temperature = i % 3 == 0 ? 0.0f : 0.5f + 0.25f * static_cast<float>(i % 4);
      request.sampling.top_k = i % 4 == 1 ? 20 : 0;
      request.sampling.top_p = i % 5 == 2 ? 0.9f : 1.0f;
      request.sampling.repetition_penalty = i % 6 == 3 ? 1.2f : 1.0f;
      request.sampling.seed = random();
      request.sampling.logprobs = i % 2 ? 2 : -1;
      request.sampling.prompt_logprobs = i % 8 == 1 ? 1 : -1;
      request.sampling.mirostat = i % 8 == 4 ? 2 : 0;
      request.sampling.typical_p = i % 8 == 5 ? 0.9f : 1.0f;
      request.sampling.xtc_probability = i % 8 == 6 ? 0.5f : 0.0f;
      request.sampling.dry_multiplier = i % 4 == 3 ? 0.8f : 0.0f;
      request.sampling.dynatemp_range = i % 8 == 7 ? 0.3f : 0.0f;
      request.stop.max_tokens = 8 + static_cast<std::int64_t>(random() % 24);
      request.stop.ignore_eos = i % 7 != 0;
      all.push_back(std::move(request));
    }
    return all;
  }

  using Outcome = std::vector<std::pair<std::vector<TokenId>, std::string>>;

  static std::pair<std::vector<TokenId>, std::string> essence(const Answer& answer) {
    if (answer.error) return {{}, "error: " + answer.error->message()};
    std::string text = answer.choices.at(0).text;
    auto scores = answer.prompt_scores;
    scores.insert(scores.end(), answer.choices[0].scores.begin(), answer.choices[0].scores.end());
    for (const auto& score : scores) {
      char bits[32];
      std::snprintf(bits, sizeof bits, " %a", static_cast<double>(score.chosen.logprob));
      text += bits;
    }
    return {answer.choices[0].token_ids, text};
  }

  static Outcome alone(Engine& engine) {
    Outcome outcome;
    for (auto& request : requests())
      outcome.push_back(essence(engine.generate(std::move(request)).value()));
    return outcome;
  }

  /// All at once, in an order of its own.
  static Outcome together(Engine& engine, unsigned order_seed) {
    auto all = requests();
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(order_seed));
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Answer> answers(all.size());
    std::size_t ended = 0;
    for (const auto i : order) {
      auto id = engine.submit(std::move(all[i]), [&, i](const TokenEvent& event) {
        const std::lock_guard guard(mutex);
        answers[i].add(event);
        if (event.last) ++ended;
        changed.notify_one();
      });
      EXPECT_TRUE(id);
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ended == answers.size(); });
    Outcome outcome;
    for (const auto& answer : answers)
      outcome.push_back(essence(answer));
    return outcome;
  }
};

TEST_F(Determinism, HoldsInAnyCompanyChunkBatchPoolAndNumberOfThreads) {
  auto first = open({"executor.threads=1"});
  ASSERT_TRUE(first);
  const Outcome expected = alone(*first);
  for (const auto& [ids, text] : expected)
    ASSERT_FALSE(ids.empty()) << text;
  EXPECT_EQ(together(*first, 1), expected);

  const std::vector<std::vector<std::string>> settings = {
      {"executor.threads=2", "scheduler.prefill_chunk=1"},
      {"executor.threads=2", "scheduler.prefill_chunk=7", "scheduler.max_num_seqs=3"},
      {"executor.threads=3", "scheduler.prefill_chunk=16", "scheduler.max_batch_tokens=20"},
      {"executor.threads=1", "executor.kv_blocks=40"},  // too few for all: preemption by recompute
  };
  for (std::size_t i = 0; i < settings.size(); ++i) {
    auto engine = open(settings[i]);
    ASSERT_TRUE(engine);
    EXPECT_EQ(together(*engine, static_cast<unsigned>(i) + 2), expected) << "setting " << i;
    EXPECT_EQ(alone(*engine), expected) << "setting " << i;
  }
}

}  // namespace
}  // namespace troupe::testing
