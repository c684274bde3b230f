#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::model {

/// How the numbers of a tensor are stored in the file.
enum class WeightType : std::uint8_t {
  f32,
  f16,
  bf16,
  q8_0,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q4_k,
  q5_k,
  q6_k
};

std::string_view to_string(WeightType type);

/// One tensor of a model file. `data` points into the mapped file and lives as long as the
/// ModelFile.
struct TensorInfo {
  std::string name;
  WeightType type = WeightType::f32;
  /// Outermost dimension first, so a matrix is [rows, columns] with the elements of a row side by
  /// side.
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
};

/// A value of the file's metadata. Strings point into the mapped file.
using MetadataValue =
    std::variant<bool, std::int64_t, std::uint64_t, double, std::string_view, std::vector<bool>,
                 std::vector<std::int64_t>, std::vector<double>, std::vector<std::string_view>>;

/// A model file, mapped and checked: every count, size and offset was compared with the file before
/// use. Immutable; any thread may read it.
class ModelFile {
 public:
  virtual ~ModelFile() = default;

  virtual const std::filesystem::path& path() const = 0;

  /// The value of `key`; nullptr when the file has no such key.
  virtual const MetadataValue* metadata(std::string_view key) const = 0;
  /// All keys, in the order of the file.
  virtual std::vector<std::string_view> metadata_keys() const = 0;

  virtual std::span<const TensorInfo> tensors() const = 0;
  /// nullptr when the file has no such tensor.
  virtual const TensorInfo* tensor(std::string_view name) const = 0;

  // Typed look-ups. Without the key: nullopt. With a value of another type, or one out of range:
  // invalid_argument, naming the key, the type found and the type expected.
  Result<std::optional<std::int64_t>> find_int(std::string_view key) const;
  Result<std::optional<double>> find_double(std::string_view key) const;  // also of an integer
  Result<std::optional<bool>> find_bool(std::string_view key) const;
  Result<std::optional<std::string_view>> find_string(std::string_view key) const;
  /// The arrays come as spans into the ModelFile; empty when the key is absent.
  Result<std::span<const std::string_view>> find_strings(std::string_view key) const;
  Result<std::span<const std::int64_t>> find_ints(std::string_view key) const;
  Result<std::span<const double>> find_doubles(std::string_view key) const;

  // As above, but an absent key is not_found, naming the key.
  Result<std::int64_t> get_int(std::string_view key) const;
  Result<std::string_view> get_string(std::string_view key) const;
};

/// Opens a GGUF file (versions 2 and 3), found by its magic bytes.
/// Errors: not_found (no such file), invalid_argument (malformed; the message names the field and
/// the offset), unsupported (a version or tensor type this build does not read).
Result<std::shared_ptr<const ModelFile>> open_model(const std::filesystem::path& path);

}  // namespace troupe::model
