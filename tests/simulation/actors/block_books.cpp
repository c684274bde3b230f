#include "block_books.h"

#include "troupe/core/block_math.h"

#include <algorithm>

namespace troupe::simulation {
namespace {

std::string of(SequenceId sequence) {
  return "sequence " + std::to_string(sequence.value) + ": ";
}

}  // namespace

void BlockBooks::give_back(std::vector<BlockId>& table, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < std::min(to, table.size()); ++i) {
    if (table[i] == kNoBlock) continue;
    if (--owners_[table[i]] == 0) owners_.erase(table[i]);
    table[i] = kNoBlock;
  }
}

std::string BlockBooks::take(const BlockRequest::Want& want, const BlockGrant::Grant& given,
                             std::vector<BlockId>& table) {
  const bool first = table.empty();
  if (first) salt_of_[want.sequence] = want.cache_salt;
  const auto& salt = salt_of_[want.sequence];
  for (const BlockId block : given.new_blocks) {
    const bool computed =
        tokens_in(static_cast<std::int64_t>(table.size())) < given.num_cached_tokens;
    table.push_back(block);
    if (block == kNoBlock) continue;
    if (first && computed && owners_.contains(block) && salts_[block] != salt)
      return "shares a block with one of another salt";
    if (++owners_[block] == 1) salts_[block] = salt;
  }
  return {};
}

std::string BlockBooks::note(const BlockRequest& request, const BlockGrant& grant) {
  if (grant.step != request.step) return "the grant is of another step";
  if (grant.grants.size() != request.wants.size()) return "not one grant per want";
  for (const auto& release : request.releases) {
    const auto found = tables_.find(release.sequence);
    if (found == tables_.end()) continue;
    give_back(found->second, 0, found->second.size());
    tables_.erase(found);
  }
  for (std::size_t i = 0; i < grant.grants.size(); ++i) {
    const auto& want = request.wants[i];
    const auto& given = grant.grants[i];
    if (given.sequence != want.sequence) return of(want.sequence) + "the grant is of another one";
    if (given.short_of_blocks > 0) {
      if (!given.new_blocks.empty()) return of(want.sequence) + "short of blocks, and given some";
      continue;
    }
    auto& table = tables_[want.sequence];
    if (given.first_new_block != static_cast<std::int32_t>(table.size()))
      return of(want.sequence) + "new blocks do not go where the table ends";
    if (auto fault = take(want, given, table); !fault.empty()) return of(want.sequence) + fault;
    give_back(table, 0, static_cast<std::size_t>(given.first_held_block));
    if (static_cast<std::int64_t>(table.size()) < blocks_for(want.num_tokens))
      return of(want.sequence) + "granted fewer blocks than it wants";
  }
  return {};
}

std::string BlockBooks::compare(const CacheStats& stats) const {
  if (stats.blocks_free + stats.blocks_used + stats.blocks_cached != stats.blocks_total)
    return "free + used + cached != total";
  if (stats.blocks_used != num_used())
    return "the cache counts " + std::to_string(stats.blocks_used) + " blocks in use, there are " +
           std::to_string(num_used());
  return {};
}

std::string BlockBooks::check(const StepPlan& plan) const {
  for (const auto& segment : plan.segments) {
    const auto found = tables_.find(segment.sequence);
    if (found == tables_.end()) return of(segment.sequence) + "runs and holds no blocks";
    const auto& table = found->second;
    if (segment.num_blocks > table.size()) return of(segment.sequence) + "uses more than it holds";
    const auto first_written = static_cast<std::uint32_t>(block_index(segment.first_position));
    for (std::uint32_t i = 0; i < segment.num_blocks; ++i) {
      const BlockId block = plan.block_ids[segment.block_offset + i];
      if (block != table[i]) return of(segment.sequence) + "uses a block it does not hold";
      const auto last = segment.first_position + segment.num_tokens - 1;
      if (i >= first_written && i <= static_cast<std::uint32_t>(block_index(last)) &&
          owners_.at(block) != 1)
        return of(segment.sequence) + "writes a block that others have too";
    }
  }
  return {};
}

}  // namespace troupe::simulation
