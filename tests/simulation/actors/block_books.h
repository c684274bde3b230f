#pragma once
#include "troupe/api/blocks.h"
#include "troupe/api/step.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace troupe::simulation {

/// A second set of books of one key-value cache, kept from what it was asked and what it answered.
class BlockBooks {
 public:
  /// Takes down one exchange; returns what is wrong with it, or nothing.
  std::string note(const BlockRequest& request, const BlockGrant& grant);
  void clear() {
    tables_.clear();
    owners_.clear();
    salts_.clear();
    salt_of_.clear();
  }

  /// Compares with the cache's own figures.
  std::string compare(const CacheStats& stats) const;
  /// Whether a step reads and writes only what its sequences hold, and writes only blocks of one
  /// owner.
  std::string check(const StepPlan& plan) const;

  std::int64_t num_used() const { return static_cast<std::int64_t>(owners_.size()); }

 private:
  std::string take(const BlockRequest::Want& want, const BlockGrant::Grant& given,
                   std::vector<BlockId>& table);
  void give_back(std::vector<BlockId>& table, std::size_t from, std::size_t to);

  std::map<SequenceId, std::vector<BlockId>> tables_;
  std::map<SequenceId, std::string> salt_of_;
  std::map<BlockId, int> owners_;         // of the blocks that have any
  std::map<BlockId, std::string> salts_;  // of whom has, or had, what is in a block
};

}  // namespace troupe::simulation
