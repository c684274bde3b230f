#pragma once
#include <ctime>

namespace troupe::bpe {

/// Seconds of processor time that `work` takes: for tests of running time, which must hold on a
/// busy machine as well.
template <class Work>
double cpu_seconds(Work&& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace troupe::bpe
