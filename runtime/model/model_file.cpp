#include "troupe/model/model_file.h"

#include "troupe/model/quote.h"

#include <array>
#include <string>
#include <type_traits>
#include <utility>

namespace troupe::model {
namespace {

std::string_view type_name(const MetadataValue& value) {
  constexpr std::array<std::string_view, 9> names = {"a boolean",
                                                     "an integer",
                                                     "an integer beyond 2^63-1",
                                                     "a float",
                                                     "a string",
                                                     "an array of booleans",
                                                     "an array of integers",
                                                     "an array of floats",
                                                     "an array of strings"};
  static_assert(names.size() == std::variant_size_v<MetadataValue>);
  return names[value.index()];
}

tl::unexpected<Error> wrong_type(std::string_view key, const MetadataValue& value,
                                 std::string_view expected) {
  return fail(ErrorCode::invalid_argument, "metadata key " + quote(key) + " is " +
                                               std::string(type_name(value)) + ", expected " +
                                               std::string(expected));
}

/// The scalar of type T at `key`; nullopt without the key.
template <class T>
Result<std::optional<T>> find_scalar(const ModelFile& file, std::string_view key,
                                     std::string_view expected) {
  const auto* value = file.metadata(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* scalar = std::get_if<T>(value)) return *scalar;
  return wrong_type(key, *value, expected);
}

/// The array of T at `key` as a span into the file's own vector; empty without the key.
template <class T>
Result<std::span<const T>> find_array(const ModelFile& file, std::string_view key,
                                      std::string_view expected) {
  const auto* value = file.metadata(key);
  if (value == nullptr) return std::span<const T>{};
  if (const auto* array = std::get_if<std::vector<T>>(value)) return std::span<const T>(*array);
  return wrong_type(key, *value, expected);
}

template <class T>
Result<T> required(Result<std::optional<T>> found, std::string_view key) {
  if (!found) return fail(std::move(found.error()));
  if (*found) return **found;
  return fail(ErrorCode::not_found, "the file has no metadata key " + quote(key));
}

}  // namespace

Result<std::optional<std::int64_t>> ModelFile::find_int(std::string_view key) const {
  return find_scalar<std::int64_t>(*this, key, "an integer up to 2^63-1");
}

Result<std::optional<double>> ModelFile::find_double(std::string_view key) const {
  const auto* value = metadata(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<double>(value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(value)) return static_cast<double>(*number);
  return wrong_type(key, *value, "a number");
}

Result<std::optional<bool>> ModelFile::find_bool(std::string_view key) const {
  return find_scalar<bool>(*this, key, "a boolean");
}

Result<std::optional<std::string_view>> ModelFile::find_string(std::string_view key) const {
  return find_scalar<std::string_view>(*this, key, "a string");
}

Result<std::span<const std::string_view>> ModelFile::find_strings(std::string_view key) const {
  return find_array<std::string_view>(*this, key, "an array of strings");
}

Result<std::span<const std::int64_t>> ModelFile::find_ints(std::string_view key) const {
  return find_array<std::int64_t>(*this, key, "an array of integers");
}

Result<std::span<const double>> ModelFile::find_doubles(std::string_view key) const {
  return find_array<double>(*this, key, "an array of floats");
}

Result<std::int64_t> ModelFile::get_int(std::string_view key) const {
  return required(find_int(key), key);
}

Result<std::string_view> ModelFile::get_string(std::string_view key) const {
  return required(find_string(key), key);
}

}  // namespace troupe::model
