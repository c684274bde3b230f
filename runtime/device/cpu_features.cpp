#include "troupe/device/cpu_features.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

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

/// The level that a word names; nullopt for another word.
std::optional<CpuLevel> level_of(std::string_view word) {
  for (const auto level :
       {CpuLevel::portable, CpuLevel::avx2, CpuLevel::avx512, CpuLevel::avx512_vnni})
    if (to_string(level) == word) return level;
  return std::nullopt;
}

CpuLevel limit() {
  const char* wish = std::getenv("TROUPE_CPU");
  return level_of(wish ? wish : "").value_or(CpuLevel::avx512_vnni);
}

}  // namespace

Result<void> check_cpu_request(const char* wish) {
  if (!wish || level_of(wish)) return {};
  return fail(
      ErrorCode::invalid_argument,
      "TROUPE_CPU = \"" + std::string(wish) + "\": expected portable, avx2, avx512 or avx512_vnni");
}

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
