#pragma once
#include "paged_cache.h"
#include "troupe/core/param_check.h"
#include "troupe/testing/conformance.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::paged {

/// A text of tokens first, first + 1, ...
inline std::vector<TokenId> text(int num_tokens, TokenId first = 1000) {
  std::vector<TokenId> tokens;
  for (int i = 0; i < num_tokens; ++i)
    tokens.push_back(first + i);
  return tokens;
}

inline std::vector<TokenId> operator+(std::vector<TokenId> a, const std::vector<TokenId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::vector<BlockId> blocks(std::initializer_list<std::uint32_t> ids) {
  std::vector<BlockId> blocks;
  for (const auto id : ids)
    blocks.push_back(BlockId{id});
  return blocks;
}

inline BlockRequest::Want want(std::uint64_t sequence, std::int32_t num_tokens) {
  BlockRequest::Want want;
  want.sequence = SequenceId{sequence};
  want.num_tokens = num_tokens;
  return want;
}

struct RigSetup {
  std::int64_t num_blocks = 8;
  bool prefix_cache = true;
  std::int64_t num_host_slots = 0;
  std::int64_t num_file_slots = 0;
  std::int32_t sliding_window = 0;
  HashFunction hash = make_keyed_hash();
};

/// A cache and one request in the making. Every answer is followed by a look at the books.
class Rig {
 public:
  explicit Rig(const RigSetup& setup = {}) : cache(setup.hash) {
    testing::FakeResources resources;
    resources.executor->num_blocks = setup.num_blocks;
    resources.executor->num_host_slots = setup.num_host_slots;
    resources.executor->num_file_slots = setup.num_file_slots;
    resources.executor->sliding_window = setup.sliding_window;
    EXPECT_TRUE(cache.configure(
        *complete_params(troupe_plugin.spec->params, {{"prefix_cache", setup.prefix_cache}})));
    EXPECT_TRUE(cache.start(resources));
  }

  Rig& publish(std::uint64_t sequence, std::vector<TokenId> tokens) {
    texts_.push_back(std::make_unique<std::vector<TokenId>>(std::move(tokens)));
    request.publishes.push_back({SequenceId{sequence}, *texts_.back()});
    return *this;
  }
  Rig& release(std::uint64_t sequence, AfterRelease after = AfterRelease::share) {
    request.releases.push_back({SequenceId{sequence}, after});
    return *this;
  }
  /// The first mention of a sequence; all of its tokens but the last may be cached.
  BlockRequest::Want& first(std::uint64_t sequence, std::vector<TokenId> tokens) {
    texts_.push_back(std::make_unique<std::vector<TokenId>>(std::move(tokens)));
    auto& added = request.wants.emplace_back(
        want(sequence, static_cast<std::int32_t>(texts_.back()->size())));
    added.token_ids = *texts_.back();
    added.max_cached_tokens = added.num_tokens - 1;
    return added;
  }

  const BlockGrant& ask() {
    cache.reserve(request, grant);
    request.clear();
    const auto good = cache.check();
    EXPECT_TRUE(good) << good.error().message();
    return grant;
  }
  /// Of one want.
  BlockGrant::Grant admit(std::uint64_t sequence, std::vector<TokenId> tokens) {
    first(sequence, std::move(tokens));
    return ask().grants.at(0);
  }
  BlockGrant::Grant grow(std::uint64_t sequence, std::int32_t num_tokens,
                         std::int32_t first_needed = 0) {
    request.wants.push_back(want(sequence, num_tokens));
    request.wants.back().first_needed = first_needed;
    return ask().grants.at(0);
  }
  /// A sequence comes, is computed and goes.
  void compute(std::uint64_t sequence, const std::vector<TokenId>& tokens) {
    EXPECT_EQ(admit(sequence, tokens).short_of_blocks, 0);
    publish(sequence, tokens).release(sequence).ask();
  }

  PagedCache cache;
  BlockRequest request;
  BlockGrant grant;

 private:
  std::vector<std::unique_ptr<std::vector<TokenId>>> texts_;
};

}  // namespace troupe::paged
