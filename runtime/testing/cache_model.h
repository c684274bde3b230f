#pragma once
#include "troupe/testing/cache_memory.h"

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace troupe::testing {

struct CacheModelSetup {
  std::int32_t sliding_window = 0;  // as the cache's executor said; 0 = none
  bool failing_steps = false;
  unsigned seed = 1;
};

/// Plays the scheduler and the executor of a key-value cache: random sequences come, grow, fork,
/// are preempted and end, under pressure, and what each of them reads is compared with its true
/// tokens. Reports what is wrong as a GoogleTest failure.
class CacheModel {
 public:
  /// Pre: the cache is started and nothing is in it.
  CacheModel(KvCache& cache, const CacheModelSetup& setup);

  /// One request, the step that follows it, and a look at everything.
  void turn();
  /// Everything ends: nothing may be left in use.
  void finish();

  /// Positions that forks had from their parent or the index, and wants that were short of blocks.
  std::int64_t num_forked_tokens() const { return num_forked_tokens_; }
  std::int64_t num_short() const { return num_short_; }

 private:
  struct Sequence {
    std::vector<TokenId> tokens;  // all that it will ever have
    std::string salt;
    std::optional<std::uint64_t> parent;
    bool live = false;  // holds blocks
    std::vector<BlockId> table;
    std::int32_t first_held = 0;
    std::int32_t num_cached = 0;
    std::int32_t num_computed = 0;
    std::int32_t num_granted = 0;
    bool ran = false;     // in the last step
    bool filled = false;  // and began with copies or swaps there
  };

  bool chance(unsigned percent) { return random_() % 100 < percent; }
  std::int32_t below(std::int32_t end);
  std::int32_t first_needed(std::int32_t position) const;
  std::vector<TokenId> some_text();
  AfterRelease some_after();
  std::span<const TokenId> keep(std::vector<TokenId> tokens);

  void publish();
  void release(std::uint64_t id, AfterRelease after);
  void condemn(std::uint64_t id);
  void spoil();
  void release_what_failed();
  void release_some();
  void add_sequence();
  void want_some();
  void want(std::uint64_t id, const Sequence& sequence);
  void want_first(std::uint64_t id, const Sequence& sequence);

  void ask();
  void take_grant(const BlockRequest::Want& want, const BlockGrant::Grant& grant);
  void begin(Sequence& sequence, const BlockRequest::Want& want, const BlockGrant::Grant& grant);
  bool has_operations(SequenceId id, const BlockGrant::Grant& grant) const;
  void step();
  void fill_last_block(Sequence& sequence);
  void expect_truth() const;

  KvCache& cache_;
  CacheModelSetup setup_;
  std::int64_t num_blocks_;
  std::mt19937 random_;
  CacheMemory memory_;
  std::map<std::uint64_t, Sequence> sequences_;
  BlockRequest request_;
  std::vector<std::unique_ptr<std::vector<TokenId>>> texts_;  // what the request points to
  BlockGrant grant_;
  std::vector<BlockId> condemned_;  // by the releases of the request
  std::uint64_t last_id_ = 0;
  bool step_failed_ = false;
  std::int64_t num_forked_tokens_ = 0;
  std::int64_t num_short_ = 0;
};

}  // namespace troupe::testing
