#pragma once
// Prompts run in chunks, for the tests that compare logits bit for bit.
#include "plugins/executor/transformer/test_executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace troupe::transformer::testing {

using Logits = std::vector<std::vector<float>>;  // by position

inline std::vector<TokenId> prompt(int length, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<TokenId> ids;
  for (int i = 0; i < length; ++i)
    ids.push_back(static_cast<TokenId>(random() % 380));
  return ids;
}

inline void append_rows(const StepResult& result, std::uint32_t first, std::uint32_t count,
                        Logits& logits) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto row = result.logits.row(first + i);
    logits.emplace_back(row.begin(), row.end());
  }
}

/// Logits at every position of a prompt that is computed `chunk` tokens at a time.
inline Logits run(Executor& executor, const std::vector<TokenId>& ids, int chunk,
                  const std::vector<BlockId>& blocks) {
  Logits logits;
  for (std::size_t from = 0; from < ids.size(); from += static_cast<std::size_t>(chunk)) {
    const auto to = std::min(ids.size(), from + static_cast<std::size_t>(chunk));
    StepPlan plan;
    add_segment(plan, 1, static_cast<std::int32_t>(from),
                {ids.begin() + static_cast<std::ptrdiff_t>(from),
                 ids.begin() + static_cast<std::ptrdiff_t>(to)},
                blocks, RowsWanted::all);
    const auto result = submit(executor, plan);
    EXPECT_FALSE(result.error) << result.error->message();
    append_rows(result, 0, plan.num_rows, logits);
  }
  return logits;
}

}  // namespace troupe::transformer::testing
