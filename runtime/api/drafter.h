#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/operator.h"

#include <cstdint>
#include <span>
#include <vector>

namespace troupe {

struct DraftRequest {
  struct Tail {
    SequenceId sequence;
    std::span<const TokenId> token_ids;  // prompt and output so far
    std::uint64_t seed = 0;              // keys the noise shared with the target's draw
    std::int32_t max_proposed = 0;
  };
  std::vector<Tail> tails;
};

struct Proposal {
  struct Chain {
    SequenceId sequence;
    std::vector<TokenId> proposed;
  };
  std::vector<Chain> chains;
};

/// Proposes tokens that the target model then verifies.
class Drafter : public Operator {
 public:
  virtual void propose(const DraftRequest& request, Proposal& out) = 0;
};

}  // namespace troupe
