#pragma once
#include "troupe/api/plugin.h"
#include "troupe/api/scheduler.h"
#include "troupe/core/param_check.h"
#include "troupe/testing/fake_executor.h"
#include "troupe/testing/fake_model.h"
#include "troupe/testing/fake_resources.h"
#include "troupe/testing/plain_operators.h"
#include "troupe/testing/token_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

extern "C" const troupe::PluginDescriptor troupe_plugin;

namespace troupe::testing {

/// Draws what the test says: for each sequence, in order of their first draw, a list of tokens;
/// then the largest logit.
class ScriptedSampler : public Sampler {
 public:
  void sample(const SampleBatch& batch, SampledTokens& out) const override {
    plain.sample(batch, out);
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const auto& row = batch.rows[i];
      const auto drawn = row.history.size() - static_cast<std::size_t>(row.prompt_tokens);
      const auto script = scripts.find(row.history[0]);
      if (script != scripts.end() && drawn < script->second.size())
        out.tokens[i].token = script->second[drawn];
      if (row.params->logprobs >= 0)
        out.tokens[i].chosen = TokenLogprob{out.tokens[i].token, -1.0f};
      if (change) change(row, out.tokens[i]);
    }
  }

  PickLargest plain;
  std::map<TokenId, std::vector<TokenId>> scripts;  // by the first token of the prompt
  std::function<void(const SampleRow&, SampledToken&)> change;
};

/// A token table of given texts; the token "<end>" ends generation.
class WordTokens : public TokenTable {
 public:
  explicit WordTokens(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] == "<end>") {
        words_[i].clear();
        ends_.push_back(static_cast<TokenId>(i));
      }
  }
  std::int32_t size() const override { return static_cast<std::int32_t>(words_.size()); }
  std::string_view bytes(TokenId id) const override { return words_[static_cast<std::size_t>(id)]; }
  bool is_control(TokenId id) const override {
    return words_[static_cast<std::size_t>(id)].empty();
  }
  std::span<const TokenId> end_of_generation() const override { return ends_; }

 private:
  std::vector<std::string> words_;
  std::vector<TokenId> ends_;
};

/// A scheduler in a token loop of its own, a millisecond per turn.
class Rig {
 public:
  explicit Rig(Value::Object params = {}, ExecutorInfo info = FakeResources().executor.value())
      : cache(info.num_blocks), executor(info) {
    FakeResources resources;
    resources.executor = info;
    op_.reset(troupe_plugin.spec->create());
    auto complete = complete_params(troupe_plugin.spec->params, params);
    EXPECT_TRUE(complete) << complete.error().message();
    EXPECT_TRUE(op_->configure(*complete));
    const auto started = op_->start(resources);
    EXPECT_TRUE(started) << started.error().message();
    scheduler = dynamic_cast<Scheduler*>(op_.get());
    loop.emplace(*scheduler, cache, executor, sampler);
  }

  static ExecutorInfo executor_of(std::int64_t num_blocks, std::int32_t context_len = 256) {
    auto info = FakeResources().executor.value();
    info.num_blocks = num_blocks;
    info.context_len = context_len;
    return info;
  }

  /// A request that can be changed until it is admitted.
  struct Draft {
    std::shared_ptr<Request> request = std::make_shared<Request>();
    std::vector<TokenId> prompt_ids;
    std::shared_ptr<const TokenTable> tokens = std::make_shared<FakeTokens>(64);
    Request* operator->() { return request.get(); }
  };

  /// `length` tokens, the first of them `first`; greedy, unending.
  Draft draft(std::uint64_t id, std::size_t length, TokenId first = 3) const {
    Draft draft;
    draft->context = std::make_shared<RequestContext>();
    draft->context->id = RequestId{id};
    draft->context->arrived = now();
    draft->client_id = "c" + std::to_string(id);
    draft->sampling.temperature = 0;
    draft->stop.ignore_eos = true;
    for (std::size_t i = 0; i < length; ++i)
      draft.prompt_ids.push_back(i == 0 ? first : static_cast<TokenId>((id * 5 + i) % 60));
    return draft;
  }

  void admit(const Draft& draft) {
    auto tokenized = std::make_shared<TokenizedRequest>();
    tokenized->request = draft.request;
    tokenized->prompt_ids = draft.prompt_ids;
    tokenized->tokens = draft.tokens;
    scheduler->admit(tokenized, now(), events);
    check();
  }

  void admit(std::uint64_t id, std::size_t length, std::int64_t max_tokens, TokenId first = 3) {
    auto request = draft(id, length, first);
    request->stop.max_tokens = max_tokens;
    admit(request);
  }

  void cancel(std::uint64_t id, std::optional<Error> error = std::nullopt) {
    scheduler->cancel(RequestId{id}, std::move(error), now(), events);
    check();
  }

  /// Whether a step ran.
  bool turn() {
    ++ms;
    const bool ran = loop->turn(now(), events);
    check();
    return ran;
  }

  void run() {
    for (int turns = 0; scheduler->has_work(); ++turns) {
      ASSERT_LT(turns, 5000) << "no end of turns";
      turn();
    }
    EXPECT_EQ(cache.stats().blocks_used, 0);
  }

  void check() const {
    const auto good = scheduler->check();
    EXPECT_TRUE(good) << good.error().message();
  }

  Time now() const { return Time(std::chrono::milliseconds(ms)); }

  std::vector<TokenEvent> events_of(std::uint64_t id) const {
    std::vector<TokenEvent> found;
    for (const auto& event : events.events)
      if (event.context->id.value == id) found.push_back(event);
    return found;
  }

  /// The last event of a request, which must be marked so.
  TokenEvent end_of(std::uint64_t id) const {
    const auto found = events_of(id);
    EXPECT_FALSE(found.empty()) << "request " << id << " has no event";
    if (found.empty()) return {};
    EXPECT_TRUE(found.back().last) << "request " << id << " has no end";
    return found.back();
  }

  /// Requests in the order in which they ended.
  std::vector<std::uint64_t> ends() const {
    std::vector<std::uint64_t> order;
    for (const auto& event : events.events)
      if (event.last) order.push_back(event.context->id.value);
    return order;
  }

  std::vector<TokenId> tokens_of(std::uint64_t id, std::int32_t choice = 0) const {
    std::vector<TokenId> ids;
    for (const auto& event : events_of(id))
      if (event.choice == choice)
        ids.insert(ids.end(), event.token_ids.begin(), event.token_ids.end());
    return ids;
  }

  /// Segments of the last plan as (first position, tokens).
  std::vector<std::pair<int, int>> segments() const {
    std::vector<std::pair<int, int>> found;
    for (const auto& segment : loop->plan().segments)
      found.emplace_back(segment.first_position, segment.num_tokens);
    return found;
  }

  std::int64_t ms = 0;
  PlainCache cache;
  FakeExecutor executor;
  ScriptedSampler sampler;
  RecordedEvents events;
  Scheduler* scheduler = nullptr;
  std::optional<TokenLoop> loop;

 private:
  std::unique_ptr<Operator> op_;
};

/// The tokens a request gets alone.
inline std::vector<TokenId> alone(std::uint64_t id, std::size_t length, std::int64_t max_tokens,
                                  TokenId first = 3) {
  Rig rig;
  rig.admit(id, length, max_tokens, first);
  rig.run();
  return rig.tokens_of(id);
}

}  // namespace troupe::testing
