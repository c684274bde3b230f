#include "troupe/model/gguf/format.h"

#include "troupe/api/check.h"

#include <algorithm>
#include <array>

namespace troupe::model::gguf {
namespace {

// By the file's number. Numbers that the format gave up (4, 5, 31-33, 36-38) have no name.
constexpr std::array<std::string_view, 40> kTensorTypeNames = {
    "F32",     "F16",    "Q4_0",    "Q4_1",  "",       "",      "Q5_0",  "Q5_1",
    "Q8_0",    "Q8_1",   "Q2_K",    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K",  "Q8_K",
    "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS",
    "I8",      "I16",    "I32",     "I64",   "F64",    "IQ1_M", "BF16",  "",
    "",        "",       "TQ1_0",   "TQ2_0", "",       "",      "",      "MXFP4"};

struct TypeId {
  WeightType type;
  std::uint32_t id;
};

constexpr std::array<TypeId, 11> kTypeIds = {{{WeightType::f32, 0},
                                              {WeightType::f16, 1},
                                              {WeightType::q4_0, 2},
                                              {WeightType::q4_1, 3},
                                              {WeightType::q5_0, 6},
                                              {WeightType::q5_1, 7},
                                              {WeightType::q8_0, 8},
                                              {WeightType::q4_k, 12},
                                              {WeightType::q5_k, 13},
                                              {WeightType::q6_k, 14},
                                              {WeightType::bf16, 30}}};

}  // namespace

std::size_t smallest_size(ValueType type) {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean:
      return 1;
    case ValueType::u16:
    case ValueType::i16:
      return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32:
      return 4;
    case ValueType::string:
    case ValueType::u64:
    case ValueType::i64:
    case ValueType::f64:
      return 8;
    case ValueType::array:
      return 12;
  }
  return 0;
}

std::uint32_t tensor_type_id(WeightType type) {
  const auto* entry = std::ranges::find(kTypeIds, type, &TypeId::type);
  TROUPE_CHECK(entry != kTypeIds.end());
  return entry->id;
}

std::optional<WeightType> tensor_type_from_id(std::uint32_t id) {
  const auto* entry = std::ranges::find(kTypeIds, id, &TypeId::id);
  if (entry == kTypeIds.end()) return std::nullopt;
  return entry->type;
}

std::string_view tensor_type_name(std::uint32_t id) {
  return id < kTensorTypeNames.size() ? kTensorTypeNames[id] : std::string_view{};
}

}  // namespace troupe::model::gguf
