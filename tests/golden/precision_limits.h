#pragma once
#include <optional>
#include <string_view>

namespace troupe::golden {

/// How far logits may be from the oracle's float32 by the precision of an executor's activations.
struct PrecisionLimits {
  std::string_view activations;  // ExecutorInfo::activations
  double mean_kl;                // nats
  double top1_agreement;         // 0..1, of all positions
  bool needs_f32_kv;             // the limits hold with float32 keys and values only
};

inline constexpr PrecisionLimits kPrecisionLimits[] = {
    {"f32", 1e-8, 1.0, true},
    {"int8x2", 1e-6, 1.0, true},
    {"bf16", 4e-4, 0.995, false},
    {"int8", 6e-3, 0.96, false},
};

/// The limits for a name of activations; nullopt for one that has none.
inline std::optional<PrecisionLimits> limits_for(std::string_view activations) {
  for (const PrecisionLimits& limits : kPrecisionLimits)
    if (limits.activations == activations) return limits;
  return std::nullopt;
}

}  // namespace troupe::golden
