#include "fake_operators.h"

#include "troupe/testing/fake_model.h"
#include "troupe/testing/plain_operators.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace troupe::testing {
namespace {

ExecutorInfo fake_info() {
  ExecutorInfo info;
  info.vocab_size = kFakeVocab;
  info.context_len = 1024;
  info.num_blocks = kFakeBlocks;
  info.num_host_slots = script().host_slots;
  info.max_batch_tokens = 256;
  info.architecture = info.device = "fake";
  return info;
}

class ScriptedExecutor final : public FakeExecutor {
 public:
  ScriptedExecutor() : FakeExecutor(fake_info()) { ++script().executors_made; }

  void submit(const StepPlan& plan, const Done& done) override {
    while (script().executor_blocks)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (const int us = script().executor_step_us; us > 0)
      std::this_thread::sleep_for(std::chrono::microseconds(us));
    const int step = ++script().steps;
    if (script().executor_always_fails || step == script().executor_throws_at_step)
      throw std::runtime_error("planted fault");
    FakeExecutor::submit(plan, done);
  }
};

class Letters final : public Tokenizer {
 public:
  Result<std::vector<TokenId>> encode(std::span<const PromptPiece> prompt, EncodeOptions,
                                      const std::atomic<bool>*) const override {
    std::string text;
    for (const auto& piece : prompt)
      text += piece.text;
    while (script().tokenizer_blocks && text != "now")
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (text.find('!') != text.npos && script().tokenizer_throws_on_bang)
      throw std::runtime_error("planted fault");
    if (text.find('?') != text.npos)
      return fail(ErrorCode::invalid_argument, "found '?'; expected letters");
    return letters(text);
  }
  void decode(DecodeState&, TokenId id, std::string& out) const override {
    out += tokens_->bytes(id);
  }
  void finish(DecodeState&, std::string&) const override {}
  std::shared_ptr<const TokenTable> tokens() const override { return tokens_; }

 private:
  std::shared_ptr<const FakeTokens> tokens_ = std::make_shared<FakeTokens>(kFakeVocab);
};

class ScriptedStage final : public Stage {
 public:
  StageVerdict on_request(Request& request) override {
    return script().on_request ? script().on_request(request) : StageVerdict::pass();
  }
  void on_event(TokenEvent& event) override {
    if (script().on_event) script().on_event(event);
  }
};

class ScriptedSampler final : public PickLargest {
 public:
  void sample(const SampleBatch& batch, SampledTokens& out) const override {
    PickLargest::sample(batch, out);
    if (script().sampler_draws_too_few) out.tokens.pop_back();
  }
};

class FirstRouter final : public Router {
 public:
  Result<std::size_t> choose(const Request& request,
                             std::span<const ReplicaState> replicas) override {
    std::int64_t in_flight = 0;
    for (const auto& replica : replicas)
      in_flight += replica.in_flight;
    script().router_saw_in_flight = in_flight;
    for (std::size_t i = 0; i < replicas.size(); ++i)
      if (replicas[i].name == request.model) return i;
    return fail(ErrorCode::not_found, "there is no model '" + request.model + "'");
  }
};

}  // namespace

Script& script() {
  static Script the_script;
  return the_script;
}

void reset_script() {
  Script& s = script();
  s.executor_throws_at_step = -1;
  s.executor_always_fails = s.executor_blocks = s.sampler_draws_too_few = false;
  s.executor_step_us = s.host_slots = s.executors_made = s.steps = 0;
  s.tokenizer_throws_on_bang = true;
  s.tokenizer_blocks = false;
  s.router_saw_in_flight = 0;
  s.on_request = nullptr;
  s.on_event = nullptr;
}

void add_fake_operators(TestCatalog& catalog) {
  catalog.add(make_operator<ScriptedExecutor, OperatorKind::executor>("fake", "fake", "", {}));
  catalog.add(make_operator<Letters, OperatorKind::tokenizer>("letters", "fake", "", {}));
  catalog.add(make_operator<ScriptedStage, OperatorKind::stage>("scripted", "fake", "", {}));
  catalog.add(make_operator<ScriptedSampler, OperatorKind::sampler>("scripted", "fake", "", {}));
  catalog.add(make_operator<FirstRouter, OperatorKind::router>("first", "fake", "", {}));
}

std::vector<TokenId> letters(std::string_view text) {
  std::vector<TokenId> ids;
  for (const char c : text)
    ids.push_back(1 + static_cast<unsigned char>(c) % (kFakeVocab - 1));
  return ids;
}

std::vector<TokenId> expected_ids(std::string_view text, std::int64_t max_tokens) {
  auto history = letters(text);
  std::vector<TokenId> output;
  std::vector<float> logits(kFakeVocab);
  while (static_cast<std::int64_t>(output.size()) < max_tokens) {
    fake_logits(history, logits);
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    output.push_back(static_cast<TokenId>(best));
    if (best == FakeTokens::kEnd) break;
    history.push_back(output.back());
  }
  return output;
}

}  // namespace troupe::testing
