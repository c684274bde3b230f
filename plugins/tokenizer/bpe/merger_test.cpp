#include "merger.h"

#include "cpu_time.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <vector>

namespace troupe::bpe {
namespace {

using Ids = std::vector<TokenId>;

/// The definition, step by step: the lowest rank, of equal ranks the leftmost, again and again.
Ids merge_by_definition(const MergeTable& table, Ids symbols) {
  while (true) {
    std::size_t best = symbols.size();
    Merge chosen;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      if (symbols[i] < 0 || symbols[i + 1] < 0) continue;
      const Merge* merge = table.find(symbols[i], symbols[i + 1]);
      if (merge != nullptr && (best == symbols.size() || merge->rank < chosen.rank)) {
        best = i;
        chosen = *merge;
      }
    }
    if (best == symbols.size()) return symbols;
    symbols[best] = chosen.result;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

MergeTable doubling_table() {
  MergeTable table(32);
  for (TokenId id = 0; id < 20; ++id)  // 0 0 -> 1, 1 1 -> 2, ...
    table.insert(id, id, {static_cast<std::uint32_t>(id), id + 1});
  return table;
}

TEST(MergeTable, KeepsTheFirstMergeOfAPair) {
  MergeTable table(2);
  table.insert(1, 2, {5, 3});
  table.insert(1, 2, {4, 9});
  EXPECT_EQ(table.find(1, 2)->result, 3);
  EXPECT_EQ(table.find(2, 1), nullptr);
}

TEST(Merger, JoinsTheLowestRankFirst) {
  MergeTable table(2);
  table.insert('b', 'c', {0, 100});
  table.insert('a', 'b', {1, 101});
  Ids symbols = {'a', 'b', 'c'};
  ASSERT_TRUE(Merger().run(table, symbols, nullptr));
  EXPECT_EQ(symbols, (Ids{'a', 100}));
}

TEST(Merger, OfEqualRanksJoinsTheLeftmost) {
  Ids symbols = {0, 0, 0};
  ASSERT_TRUE(Merger().run(doubling_table(), symbols, nullptr));
  EXPECT_EQ(symbols, (Ids{1, 0}));
}

TEST(Merger, LeavesNegativeSymbolsAlone) {
  Ids symbols = {0, -5, 0, 0, -1};
  ASSERT_TRUE(Merger().run(doubling_table(), symbols, nullptr));
  EXPECT_EQ(symbols, (Ids{0, -5, 1, -1}));
}

TEST(Merger, EqualsTheDefinitionForShortAndLongPieces) {
  std::mt19937 random(5);
  Merger merger;
  for (int round = 0; round < 400; ++round) {
    MergeTable table(60);
    const TokenId symbols_in_use = 2 + static_cast<TokenId>(random() % 6);
    TokenId next = symbols_in_use;
    for (std::uint32_t rank = 0; rank < 60; ++rank) {
      const auto left = static_cast<TokenId>(random() % static_cast<unsigned>(next));
      const auto right = static_cast<TokenId>(random() % static_cast<unsigned>(next));
      if (table.find(left, right) == nullptr) table.insert(left, right, {rank / 3, next++});
    }
    Ids symbols(random() % 160);
    for (auto& symbol : symbols)
      symbol = static_cast<TokenId>(random() % static_cast<unsigned>(symbols_in_use));
    const Ids expected = merge_by_definition(table, symbols);
    ASSERT_TRUE(merger.run(table, symbols, nullptr));
    ASSERT_EQ(symbols, expected);
  }
}

TEST(Merger, D01MergesAMillionEqualSymbolsInLinearTime) {
  const auto table = doubling_table();
  Ids symbols(1 << 20, 0);
  EXPECT_LT(cpu_seconds([&] { Merger().run(table, symbols, nullptr); }), 2);
  EXPECT_EQ(symbols, Ids{20});
}

TEST(Merger, D01StopsWhenItIsCancelled) {
  Ids symbols(100000, 0);
  const std::atomic<bool> cancelled = true;
  EXPECT_FALSE(Merger().run(doubling_table(), symbols, &cancelled));
}

TEST(Merger, WorksTheSameAfterItsBuffersWereGivenBack) {
  Merger merger;
  Ids symbols(10000, 0);
  merger.run(doubling_table(), symbols, nullptr);
  merger.trim();
  Ids again(10000, 0);
  merger.run(doubling_table(), again, nullptr);
  EXPECT_EQ(symbols, again);
}

}  // namespace
}  // namespace troupe::bpe
