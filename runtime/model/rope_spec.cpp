#include "troupe/model/rope_spec.h"

#include "troupe/model/number_text.h"
#include "troupe/model/quote.h"
#include "troupe/model/tensor_names.h"

#include <cmath>
#include <cstring>
#include <string>

namespace troupe::model {
namespace {

constexpr double kMaxFactor = 1e6;

/// The divisors [dims / 2] of rope_freqs.weight; empty without the tensor.
Result<std::vector<float>> read_divisors(const ModelFile& file, std::int64_t dims) {
  std::vector<float> divisors;
  const auto* tensor = file.tensor(kRopeFrequencies);
  if (tensor == nullptr) return divisors;
  if (tensor->type != WeightType::f32 || tensor->shape != std::vector<std::int64_t>{dims / 2})
    return fail(ErrorCode::invalid_argument, "tensor " + quote(kRopeFrequencies) +
                                                 ": expected f32 and the shape [" +
                                                 std::to_string(dims / 2) + "]");
  divisors.resize(static_cast<std::size_t>(dims / 2));
  std::memcpy(divisors.data(), tensor->data.data(), tensor->data.size());
  for (const auto divisor : divisors)
    if (!(divisor > 0) || !std::isfinite(divisor))
      return fail(ErrorCode::invalid_argument, "tensor " + quote(kRopeFrequencies) + " holds " +
                                                   number_text(divisor) +
                                                   ", expected finite numbers above 0");
  return divisors;
}

/// Reads kind and factor of the scaling. A factor without a kind means linear, as the format says;
/// rope.scale_linear is the factor's name in files of 2023.
Result<void> read_scaling(KeyReader& keys, RopeSpec& rope) {
  std::string_view kind;
  double factor = 0;
  keys.optional("rope.scaling.type", kind);
  keys.optional("rope.scale_linear", {.above = 0, .most = kMaxFactor}, factor);
  keys.optional("rope.scaling.factor", {.above = 0, .most = kMaxFactor}, factor);
  if (keys.error()) return fail(*keys.error());
  if (kind == "none") return {};
  if (kind == "linear" && factor == 0)
    return fail(ErrorCode::not_found,
                "rope.scaling.type is \"linear\", but there is no rope.scaling.factor");
  if (!kind.empty() && kind != "linear")
    return fail(ErrorCode::unsupported,
                "rope.scaling.type = " + quote(kind) +
                    "; this build does \"none\" and \"linear\", and the scaling "
                    "of Llama 3 through the tensor rope_freqs.weight");
  if (factor != 0) rope.linear_factor = factor;
  return {};
}

}  // namespace

Result<RopeSpec> read_rope_spec(const ModelFile& file, KeyReader& keys, std::int64_t head_dim) {
  RopeSpec rope;
  rope.dims = head_dim;
  keys.optional("rope.dimension_count", {.least = 2, .most = head_dim}, rope.dims);
  keys.optional("rope.freq_base", {.above = 0, .most = 1e12}, rope.theta);
  keys.ignore("rope.scaling.original_context_length");
  keys.ignore("rope.scaling.finetuned");
  if (auto scaling = read_scaling(keys, rope); !scaling) return fail(scaling.error());
  if (rope.dims % 2 != 0)
    return fail(ErrorCode::invalid_argument, "rope.dimension_count = " + std::to_string(rope.dims) +
                                                 ": expected an even number");
  auto divisors = read_divisors(file, rope.dims);
  if (!divisors) return fail(divisors.error());
  rope.divisors = std::move(*divisors);
  return rope;
}

}  // namespace troupe::model
