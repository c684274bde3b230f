#include "test_rig.h"
#include "troupe/testing/allocations.h"

namespace troupe::paged {
namespace {

/// What eight sequences of so many tokens publish and want in one step of decoding.
void fill(BlockRequest& request, const std::vector<std::vector<TokenId>>& texts,
          std::size_t num_tokens) {
  request.clear();
  for (std::uint64_t id = 0; id < texts.size(); ++id) {
    request.publishes.push_back({SequenceId{id}, std::span(texts[id]).first(num_tokens)});
    request.wants.push_back(want(id, static_cast<std::int32_t>(num_tokens) + 1));
  }
}

TEST(SteadyState, AStepAllocatesNothingButTheListsOfNewBlocks) {
  Rig rig({.num_blocks = 256});
  std::vector<std::vector<TokenId>> texts;
  for (TokenId id = 0; id < 8; ++id) {
    texts.push_back(text(400, 1000 * id));
    ASSERT_EQ(rig.admit(static_cast<std::uint64_t>(id), text(100, 1000 * id)).short_of_blocks, 0);
  }
  BlockRequest request;
  BlockGrant grant;
  std::int64_t new_lists = 0;
  std::int64_t before = 0;
  for (std::size_t num_tokens = 101; num_tokens < 190; ++num_tokens) {
    if (num_tokens == 120) before = troupe::testing::num_allocations();
    fill(request, texts, num_tokens);
    rig.cache.reserve(request, grant);
    if (num_tokens < 120) continue;
    for (const auto& one : grant.grants)
      new_lists += !one.new_blocks.empty();
  }
  const auto after = troupe::testing::num_allocations();
  EXPECT_EQ(new_lists, 8 * 4);
  // A list of one block each; tables that have doubled before have room.
  EXPECT_LE(after - before, new_lists + 8);
}

}  // namespace
}  // namespace troupe::paged
