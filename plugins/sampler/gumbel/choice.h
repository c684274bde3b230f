#pragma once
#include "chain.h"
#include "dry.h"
#include "filters.h"
#include "pool.h"
#include "row_copy.h"
#include "selection.h"
#include "troupe/api/step.h"

#include <optional>
#include <vector>

namespace troupe::gumbel {

/// Chooses tokens; its members are room to work in and hold nothing from one row to the next.
class Chooser {
 public:
  explicit Chooser(Chain chain) : chain_(std::move(chain)) {}

  struct Choice {
    TokenId token = 0;
    std::optional<float> surprise;  // with mirostat
  };

  /// A token for the row's logits [vocab_size]. Errors: unsupported (a parameter whose link the
  /// chain lacks), internal (logits that are not finite, no token alive, ids outside the
  /// vocabulary).
  Result<Choice> choose(const SampleRow& row, std::span<const float> logits);

 private:
  using Links = std::vector<Link>;

  Result<void> edit(Link link, const SampleRow& row);
  /// For the links most requests use, alone and in the default order: no pool is made.
  TokenId draw_from_row(const SampleRow& row, Candidate best);
  Result<Choice> draw_from_pool(const SampleRow& row);
  Result<void> filter(Link link, const SampleRow& row);

  Chain chain_;
  Links active_;  // links that the row asks for and that were not done yet
  RowCopy copy_;
  DryRoom dry_;
  NucleusRoom nucleus_;
  std::vector<Candidate> candidates_;
  Pool pool_;
  RankedRoom ranked_;
  std::vector<float> masked_;
};

}  // namespace troupe::gumbel
