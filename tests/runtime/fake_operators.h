#pragma once
#include "test_catalog.h"
#include "troupe/testing/fake_executor.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace troupe::testing {

/// What the fake operators of a test do wrong, and when. Operators are made by a catalog that hands
/// over no argument, so this is where the test speaks to them; reset it at the start of each test.
struct Script {
  std::atomic<int> executor_throws_at_step{-1};  // counted from 1 over all executors; -1 = never
  std::atomic<bool> executor_always_fails{false};
  std::atomic<int> executor_step_us{0};  // how long a step takes
  std::atomic<int> host_slots{0};        // of the lower tier of an executor that is made
  std::atomic<int> executors_made{0};
  std::atomic<int> steps{0};
  std::atomic<bool> executor_blocks{false};  // stays in submit until it is false
  std::atomic<bool> sampler_draws_too_few{false};
  std::atomic<bool> tokenizer_throws_on_bang{true};   // encode throws when the text contains '!'
  std::atomic<bool> tokenizer_blocks{false};          // stays in encode until it is false
  std::atomic<std::int64_t> router_saw_in_flight{0};  // over all its replicas, at its latest choice
  std::function<StageVerdict(Request&)> on_request;
  std::function<void(TokenEvent&)> on_event;
};
Script& script();
void reset_script();

inline constexpr std::int32_t kFakeVocab = 64;
inline constexpr std::int64_t kFakeBlocks = 256;

/// Adds executor "fake", tokenizer "letters", stage "scripted" and sampler "scripted".
void add_fake_operators(TestCatalog& catalog);

/// The ids that tokenizer "letters" makes of a text: one per byte, never the end-of-generation
/// token.
std::vector<TokenId> letters(std::string_view text);

/// The greedy continuation of a text, computed without the runtime.
std::vector<TokenId> expected_ids(std::string_view text, std::int64_t max_tokens);

}  // namespace troupe::testing
