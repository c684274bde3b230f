#include "cell.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace troupe::exactness {
namespace {

constexpr std::array kCaches = {Cache::off, Cache::cold, Cache::warm};
constexpr std::array kChunks = {1, 7, 64, 0};
constexpr std::array kCompanies = {Company::alone, Company::crowd, Company::first, Company::second,
                                   Company::last};
constexpr std::array kPreemptions = {Preemption::never, Preemption::recompute, Preemption::swap,
                                     Preemption::swap_to_file};
constexpr std::array kThreads = {1, 2};

std::string_view text_of(Cache cache) {
  return std::array{"cache off", "cold cache", "warm cache"}[static_cast<std::size_t>(cache)];
}

std::string_view text_of(Company company) {
  return std::array{"alone", "in a crowd of 32", "first of 8", "second of 8",
                    "last of 8"}[static_cast<std::size_t>(company)];
}

std::string_view text_of(Preemption preemption) {
  return std::array{"never preempted", "recomputed", "swapped to memory",
                    "swapped to a file"}[static_cast<std::size_t>(preemption)];
}

using Pair = std::tuple<int, int, int, int>;  // axis and value, axis and value

std::vector<Pair> pairs_of(const Cell& cell) {
  const std::array<int, 5> values = {static_cast<int>(cell.cache), cell.chunk,
                                     static_cast<int>(cell.company),
                                     static_cast<int>(cell.preemption), cell.threads};
  std::vector<Pair> pairs;
  for (int a = 0; a < 5; ++a)
    for (int b = a + 1; b < 5; ++b)
      pairs.emplace_back(a, values[static_cast<std::size_t>(a)], b,
                         values[static_cast<std::size_t>(b)]);
  return pairs;
}

}  // namespace

std::string Cell::name() const {
  return std::string(text_of(cache)) + ", chunk " + (chunk ? std::to_string(chunk) : "all") + ", " +
         std::string(text_of(company)) + ", " + std::string(text_of(preemption)) + ", " +
         std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

int Cell::num_others() const {
  switch (company) {
    case Company::alone:
      return 0;
    case Company::crowd:
      return 32;
    case Company::first:
    case Company::second:
    case Company::last:
      return 7;
  }
  return 0;
}

int Cell::num_before() const {
  return company == Company::first ? 0 : company == Company::second ? 1 : num_others();
}

std::vector<std::string> Cell::settings() const {
  // Seats for all that are meant to run together and no more: whoever comes with a higher priority
  // takes the seat of the one with the lowest.
  return {std::string("kv_cache.prefix_cache=") + (cache == Cache::off ? "false" : "true"),
          "scheduler.prefill_chunk=" + std::to_string(chunk ? chunk : 4096),
          "executor.max_batch_tokens=4096",
          "scheduler.policy=priority",
          "scheduler.max_num_seqs=" + std::to_string(num_others() + 1),
          std::string("scheduler.preemption=") + (swaps() ? "swap" : "recompute"),
          std::string("executor.swap_bytes=") +
              (preemption == Preemption::swap_to_file ? "0" : "67108864"),
          std::string("executor.swap_file_bytes=") +
              (preemption == Preemption::swap_to_file ? "67108864" : "0"),
          "executor.threads=" + std::to_string(threads)};
}

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  for (const auto cache : kCaches)
    for (const auto chunk : kChunks)
      for (const auto company : kCompanies)
        for (const auto preemption : kPreemptions)
          for (const auto threads : kThreads)
            cells.push_back({cache, chunk, company, preemption, threads});
  return cells;
}

std::vector<Cell> pairwise_cells() {
  const auto all = all_cells();
  std::set<Pair> open;
  for (const auto& cell : all)
    for (const auto& pair : pairs_of(cell))
      open.insert(pair);
  std::vector<Cell> chosen;
  while (!open.empty()) {
    const auto covered = [&](const Cell& cell) {
      return std::ranges::count_if(pairs_of(cell), [&](const Pair& p) { return open.contains(p); });
    };
    const auto best = std::ranges::max_element(all, {}, covered);
    for (const auto& pair : pairs_of(*best))
      open.erase(pair);
    chosen.push_back(*best);
  }
  return chosen;
}

}  // namespace troupe::exactness
