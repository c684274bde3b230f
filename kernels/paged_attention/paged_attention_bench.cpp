// Speed of attention by the precision of keys and values, on one thread, with the heads of
// SmolLM2-135M and of an 8B Llama. Usage: paged_attention_bench [rounds]
#include "kernels/paged_attention/paged_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace {

using namespace troupe;
using namespace troupe::kernels;

struct Shape {
  const char* name;
  int kv_heads, group, head_dim;
};
constexpr Shape kShapes[] = {{"3 x 3 x 64", 3, 3, 64}, {"8 x 4 x 128", 8, 4, 128}};
constexpr int kLength = 1024;   // tokens of a sequence
constexpr int kSequences = 32;  // so that the blocks of all are in no near cache

struct Cache {
  explicit Cache(const KvBlockLayout& layout) : layout(layout) {
    const int blocks = kLength / kBlockSize * kSequences;
    pool.resize(static_cast<std::size_t>(layout.block_bytes() * blocks));
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> key(static_cast<std::size_t>(layout.num_kv_heads * layout.head_dim));
    const auto& kernels = paged_attention_for(cpu_level(), layout.precision);
    for (int token = 0; token < kLength * kSequences; ++token) {
      for (auto& value : key)
        value = normal(random);
      kernels.write({key.data(), key.data(),
                     pool.data() + token / kBlockSize * layout.block_bytes(), token % kBlockSize,
                     layout});
    }
    for (int i = 0; i < blocks; ++i)
      table.push_back({static_cast<std::uint32_t>(i)});
  }

  KvBlockLayout layout;
  std::vector<std::byte> pool;
  std::vector<BlockId> table;
};

/// The thread's own time: what other processes take of the processor does not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Seconds for the last `rows` positions of every sequence.
double attend_all(Cache& cache, int group, int rows) {
  const auto& layout = cache.layout;
  const std::int64_t width = std::int64_t{layout.num_kv_heads} * group * layout.head_dim;
  std::vector<float> queries(static_cast<std::size_t>(rows * width), 0.1f), output = queries;
  std::vector<float> scratch(static_cast<std::size_t>(attention_scratch_floats(layout)));
  const auto& kernels = paged_attention_for(cpu_level(), layout.precision);
  const auto start = thread_seconds();
  for (int sequence = 0; sequence < kSequences; ++sequence)
    for (int head = 0; head < layout.num_kv_heads; ++head)
      kernels.attend({queries.data(), width, output.data(), width, rows, kLength - rows,
                      layout.num_kv_heads * group, head, cache.pool.data(),
                      cache.table.data() + sequence * (kLength / kBlockSize), layout,
                      1 / std::sqrt(static_cast<float>(layout.head_dim)), scratch.data()});
  return thread_seconds() - start;
}

void measure(const Shape& shape, KvPrecision precision, int rounds) {
  Cache cache({shape.kv_heads, shape.head_dim, precision});
  std::printf("%-12s %-5s %6lld B/token", shape.name, to_string(precision).data(),
              static_cast<long long>(cache.layout.block_bytes() / kBlockSize));
  for (const int rows : {1, 16}) {
    std::vector<double> seconds;
    for (int round = 0; round < rounds; ++round)
      seconds.push_back(attend_all(cache, shape.group, rows));
    std::ranges::sort(seconds);
    const double best = seconds.front();
    std::printf("   %2d rows: best %8.1f us a sequence (median %8.1f), %6.2f GB/s", rows,
                best * 1e6 / kSequences, seconds[seconds.size() / 2] * 1e6 / kSequences,
                static_cast<double>(cache.pool.size()) / best * 1e-9);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  std::printf("%s\n", paged_attention_for(cpu_level(), KvPrecision::f32).name.data());
  for (const auto& shape : kShapes)
    for (const auto precision :
         {KvPrecision::f32, KvPrecision::bf16, KvPrecision::f16, KvPrecision::int8})
      measure(shape, precision, rounds);
}
