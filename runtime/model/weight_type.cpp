#include "troupe/model/weight_type.h"

#include "troupe/api/check.h"

#include <array>

namespace troupe::model {
namespace {

struct Facts {
  WeightType type;
  std::string_view name;
  WeightBlock block;
};

// In the order of the enumeration.
constexpr std::array<Facts, 11> kFacts = {{
    {WeightType::f32, "f32", {1, 4}},
    {WeightType::f16, "f16", {1, 2}},
    {WeightType::bf16, "bf16", {1, 2}},
    {WeightType::q8_0, "q8_0", {32, 2 + 32}},
    {WeightType::q4_0, "q4_0", {32, 2 + 16}},
    {WeightType::q4_1, "q4_1", {32, 2 + 2 + 16}},
    {WeightType::q5_0, "q5_0", {32, 2 + 4 + 16}},
    {WeightType::q5_1, "q5_1", {32, 2 + 2 + 4 + 16}},
    {WeightType::q4_k, "q4_k", {256, 2 + 2 + 12 + 128}},
    {WeightType::q5_k, "q5_k", {256, 2 + 2 + 12 + 32 + 128}},
    {WeightType::q6_k, "q6_k", {256, 128 + 64 + 16 + 2}},
}};

const Facts& facts(WeightType type) {
  const auto index = static_cast<std::size_t>(type);
  TROUPE_CHECK(index < kFacts.size() && kFacts[index].type == type);
  return kFacts[index];
}

}  // namespace

std::string_view to_string(WeightType type) {
  return facts(type).name;
}

WeightBlock weight_block(WeightType type) {
  return facts(type).block;
}

std::int64_t row_bytes(WeightType type, std::int64_t elements) {
  const auto block = weight_block(type);
  TROUPE_CHECK(elements >= 0 && elements % block.elements == 0);
  return elements / block.elements * block.bytes;
}

std::optional<WeightType> parse_weight_type(std::string_view name) {
  for (const auto& entry : kFacts)
    if (entry.name == name) return entry.type;
  return std::nullopt;
}

}  // namespace troupe::model
