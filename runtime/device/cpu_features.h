#pragma once
#include "troupe/api/result.h"

#include <string_view>

namespace troupe {

/// Vector instruction sets a kernel variant may ask for, each containing those before it.
enum class CpuLevel { portable, avx2, avx512, avx512_vnni };

/// The best level this processor and operating system offer.
/// TROUPE_CPU=portable|avx2|avx512|avx512_vnni lowers it (read once), so that every variant can be
/// tested on one machine.
CpuLevel cpu_level();

/// Whether vdpbf16ps is there (and TROUPE_CPU does not hide it).
bool cpu_has_avx512_bf16();

/// Whether `wish`, the value of TROUPE_CPU or nullptr, names a level. Executors refuse to start
/// otherwise: a misspelt level must not go unnoticed. Errors: invalid_argument, with the levels
/// there are.
Result<void> check_cpu_request(const char* wish);

std::string_view to_string(CpuLevel level);

}  // namespace troupe
