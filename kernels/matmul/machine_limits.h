#pragma once
// What the machine can do at most, measured in the same run as a kernel: figures of a kernel alone
// say little on a machine whose clock and bandwidth move.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/matmul/huge_buffer.h"
#include "troupe/device/thread_team.h"

namespace troupe::kernels {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of each of `rounds` calls, in ascending order; one call before them is not counted.
template <class Function>
std::vector<double> time_rounds(int rounds, const Function& function) {
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    const double start = seconds_now();
    function();
    if (round > 0) times.push_back(seconds_now() - start);
  }
  std::sort(times.begin(), times.end());
  return times;
}

inline double median(const std::vector<double>& sorted) {
  return sorted[sorted.size() / 2];
}

#if defined(__x86_64__)
/// 24 independent chains of vpdpbusd: 24 * 128 operations per iteration.
__attribute__((target("avx512f,avx512vnni"))) inline void spin_vnni(std::int64_t iterations) {
#define TROUPE_DOT(n) "vpdpbusd %%zmm30, %%zmm31, %%zmm" #n "\n"
#define TROUPE_DOTS(a, b, c, d, e, f) \
  TROUPE_DOT(a) TROUPE_DOT(b) TROUPE_DOT(c) TROUPE_DOT(d) TROUPE_DOT(e) TROUPE_DOT(f)
  asm volatile("1:\n" TROUPE_DOTS(0, 1, 2, 3, 4, 5) TROUPE_DOTS(6, 7, 8, 9, 10, 11) TROUPE_DOTS(
                   12, 13, 14, 15, 16, 17) TROUPE_DOTS(18, 19, 20, 21, 22, 23) "dec %0\njnz 1b\n"
               : "+r"(iterations)
               :
               : "zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "zmm6", "zmm7", "zmm8", "zmm9",
                 "zmm10", "zmm11", "zmm12", "zmm13", "zmm14", "zmm15", "zmm16", "zmm17", "zmm18",
                 "zmm19", "zmm20", "zmm21", "zmm22", "zmm23", "cc");
#undef TROUPE_DOTS
#undef TROUPE_DOT
}

/// Reads two streams at once, which brings most memories to their full bandwidth.
__attribute__((target("avx2"))) inline void read_memory(const std::byte* from, std::size_t bytes) {
  const std::size_t half = bytes / 2;
  __m256i sums[4] = {};
  for (std::size_t i = 0; i + 128 <= half; i += 128)
    for (int j = 0; j < 4; ++j) {
      const auto* a = reinterpret_cast<const __m256i*>(from + i + static_cast<std::size_t>(j) * 32);
      const auto* b =
          reinterpret_cast<const __m256i*>(from + half + i + static_cast<std::size_t>(j) * 32);
      sums[j] =
          _mm256_xor_si256(sums[j], _mm256_xor_si256(_mm256_loadu_si256(a), _mm256_loadu_si256(b)));
    }
  const __m256i sum =
      _mm256_xor_si256(_mm256_xor_si256(sums[0], sums[1]), _mm256_xor_si256(sums[2], sums[3]));
  asm volatile("" ::"x"(sum));
}
#endif

/// The measured limits of a team of threads. 0 where this processor or build cannot measure one.
struct MachineLimits {
  double int8_ops_per_second = 0;
  double read_bytes_per_second = 0;
};

inline MachineLimits measure_limits([[maybe_unused]] ThreadTeam& team,
                                    [[maybe_unused]] HugeBuffer& buffer) {
  MachineLimits limits;
#if defined(__x86_64__)
  // Every worker has a part of its own; also later measurements are to use them all.
  team.fix_workers(team.size());
  const auto workers = static_cast<double>(team.size());
  if (__builtin_cpu_supports("avx512vnni")) {
    constexpr std::int64_t kIterations = 300000;
    const auto times = time_rounds(7, [&] { team.run([&](int) { spin_vnni(kIterations); }); });
    limits.int8_ops_per_second = workers * kIterations * 24 * 128 / median(times);
  }
  if (!__builtin_cpu_supports("avx2")) return limits;
  const std::size_t slice = buffer.size() / static_cast<std::size_t>(team.size()) / 4096 * 4096;
  const auto times = time_rounds(7, [&] {
    team.run([&](int worker) {
      read_memory(buffer.data() + static_cast<std::size_t>(worker) * slice, slice);
    });
  });
  limits.read_bytes_per_second = workers * static_cast<double>(slice) / median(times);
#endif
  return limits;
}

}  // namespace troupe::kernels
