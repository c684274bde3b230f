#include "troupe/pipeline/spread.h"

#include <cstddef>

namespace troupe::pipeline {

std::vector<double> spread(const std::vector<double>& wanted, const std::vector<double>& weight,
                           const std::vector<double>& distance) {
  struct Pool {
    double sum, weight;
    std::size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<double> shift(wanted.size(), 0);
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i > 0) shift[i] = shift[i - 1] + distance[i - 1];
    pools.push_back({(wanted[i] - shift[i]) * weight[i], weight[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const auto last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().weight += last.weight;
      pools.back().count += last.count;
    }
  }
  std::vector<double> values;
  for (const auto& pool : pools)
    for (std::size_t i = 0; i < pool.count; ++i)
      values.push_back(pool.mean() + shift[values.size()]);
  return values;
}

}  // namespace troupe::pipeline
