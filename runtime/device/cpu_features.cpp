#include "troupe/device/cpu_features.h"

#include <algorithm>
#include <cstdlib>

namespace troupe {
namespace {

CpuLevel detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx512 && __builtin_cpu_supports("avx512vnni")) return CpuLevel::avx512_vnni;
  if (avx512) return CpuLevel::avx512;
  if (avx2) return CpuLevel::avx2;
#endif
  return CpuLevel::portable;
}

CpuLevel limit() {
  const char* wish = std::getenv("TROUPE_CPU");
  if (!wish) return CpuLevel::avx512_vnni;
  for (const auto level :
       {CpuLevel::portable, CpuLevel::avx2, CpuLevel::avx512, CpuLevel::avx512_vnni})
    if (to_string(level) == wish) return level;
  return CpuLevel::avx512_vnni;
}

}  // namespace

CpuLevel cpu_level() {
  static const CpuLevel level = std::min(detect(), limit());
  return level;
}

bool cpu_has_avx512_bf16() {
#if defined(__x86_64__)
  static const bool has =
      cpu_level() == CpuLevel::avx512_vnni && __builtin_cpu_supports("avx512bf16");
  return has;
#else
  return false;
#endif
}

std::string_view to_string(CpuLevel level) {
  switch (level) {
    case CpuLevel::portable:
      return "portable";
    case CpuLevel::avx2:
      return "avx2";
    case CpuLevel::avx512:
      return "avx512";
    case CpuLevel::avx512_vnni:
      return "avx512_vnni";
  }
  return "unknown";
}

}  // namespace troupe
