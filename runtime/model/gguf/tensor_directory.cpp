#include "troupe/model/gguf/tensor_directory.h"

#include "troupe/model/gguf/format.h"
#include "troupe/model/quote.h"
#include "troupe/model/weight_type.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace troupe::model::gguf {
namespace {

// A name of one byte with its length, the number of dimensions, one dimension, a type, an offset.
constexpr std::uint64_t kSmallestEntry = 8 + 1 + 4 + 8 + 4 + 8;

tl::unexpected<Error> malformed(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

/// Product of two sizes; nullopt when it exceeds 2^63-1.
std::optional<std::int64_t> checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

Result<std::string> read_name(Cursor& cursor) {
  const auto place = cursor.place();
  const auto name = cursor.read_string("name");
  if (!name) return fail(name.error());
  if (name->empty() || name->size() > kMaxTensorNameBytes)
    return malformed("the name " + place + " (" + quote(*name) + ") has " +
                     std::to_string(name->size()) + " bytes, expected 1 to " +
                     std::to_string(kMaxTensorNameBytes));
  return std::string(*name);
}

/// The dimensions, outermost first; the file has them innermost first.
Result<std::vector<std::int64_t>> read_shape(Cursor& cursor) {
  const auto place = cursor.place();
  const auto rank = cursor.read<std::uint32_t>("number of dimensions");
  if (!rank) return fail(rank.error());
  if (*rank < 1 || *rank > kMaxDimensions)
    return malformed("number of dimensions " + place + " is " + std::to_string(*rank) +
                     ", expected 1 to " + std::to_string(kMaxDimensions));
  std::vector<std::int64_t> shape;
  for (std::uint32_t i = 0; i < *rank; ++i) {
    const auto dimension_place = cursor.place();
    const auto dimension = cursor.read<std::uint64_t>("dimension");
    if (!dimension) return fail(dimension.error());
    if (*dimension < 1 || *dimension > std::numeric_limits<std::int64_t>::max())
      return malformed("dimension " + std::to_string(i) + " " + dimension_place + " is " +
                       std::to_string(*dimension) + ", expected 1 to 2^63-1");
    shape.insert(shape.begin(), static_cast<std::int64_t>(*dimension));
  }
  return shape;
}

Result<WeightType> read_tensor_type(Cursor& cursor) {
  const auto place = cursor.place();
  const auto id = cursor.read<std::uint32_t>("tensor type");
  if (!id) return fail(id.error());
  if (const auto type = tensor_type_from_id(*id)) return *type;
  const auto name = tensor_type_name(*id);
  if (name.empty())
    return malformed("tensor type " + place + " is " + std::to_string(*id) +
                     ", which the format does not have");
  return fail(ErrorCode::unsupported,
              "tensor type " + place + " is " + std::string(name) +
                  "; this build reads F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and "
                  "Q6_K: take the model in one of these");
}

/// Bytes of a tensor. Errors: rows that are no whole number of blocks, a size beyond 2^63-1.
Result<std::uint64_t> data_size(WeightType type, std::span<const std::int64_t> shape) {
  const auto block = weight_block(type);
  if (shape.back() % block.elements != 0)
    return malformed("its rows have " + std::to_string(shape.back()) +
                     " elements, expected a multiple of " + std::to_string(block.elements) +
                     " for type " + std::string(to_string(type)));
  std::optional<std::int64_t> bytes = checked_product(shape.back() / block.elements, block.bytes);
  // Elements are counted too: an executor may hold the same tensor as f32.
  std::optional<std::int64_t> f32_bytes = checked_product(shape.back(), 4);
  for (const auto dimension : shape.first(shape.size() - 1)) {
    if (bytes) bytes = checked_product(*bytes, dimension);
    if (f32_bytes) f32_bytes = checked_product(*f32_bytes, dimension);
  }
  if (!bytes || !f32_bytes) return malformed("its dimensions make a size beyond 2^63-1 bytes");
  return static_cast<std::uint64_t>(*bytes);
}

Result<TensorEntry> read_entry_body(Cursor& cursor, TensorEntry entry) {
  auto shape = read_shape(cursor);
  if (!shape) return fail(shape.error());
  const auto type = read_tensor_type(cursor);
  if (!type) return fail(type.error());
  const auto offset = cursor.read<std::uint64_t>("data offset");
  if (!offset) return fail(offset.error());
  const auto bytes = data_size(*type, *shape);
  if (!bytes) return fail(bytes.error());
  entry.info.shape = std::move(*shape);
  entry.info.type = *type;
  entry.data_offset = *offset;
  entry.data_bytes = *bytes;
  return entry;
}

std::string where(const TensorEntry& entry) {
  return "tensor " + quote(entry.info.name) + " (entry at byte " +
         std::to_string(entry.entry_offset) + ")";
}

Result<TensorEntry> read_entry(Cursor& cursor, std::uint64_t number) {
  TensorEntry entry;
  entry.entry_offset = cursor.offset();
  auto name = read_name(cursor);
  if (!name) return fail_at("tensor entry " + std::to_string(number), name.error());
  entry.info.name = std::move(*name);
  const auto place = where(entry);
  auto body = read_entry_body(cursor, std::move(entry));
  if (!body) return fail_at(place, body.error());
  return body;
}

/// Refuses two tensors whose bytes overlap: the format packs them one after another.
Result<void> check_disjoint(std::span<const TensorEntry> entries) {
  std::vector<const TensorEntry*> order;
  for (const auto& entry : entries)
    order.push_back(&entry);
  std::ranges::stable_sort(order, {}, &TensorEntry::data_offset);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto& before = *order[i - 1];
    if (before.data_offset + before.data_bytes > order[i]->data_offset)
      return malformed(where(*order[i]) + ": its data at offset " +
                       std::to_string(order[i]->data_offset) + " overlaps that of tensor " +
                       quote(before.info.name) + " at offset " +
                       std::to_string(before.data_offset));
  }
  return {};
}

}  // namespace

Result<std::vector<TensorEntry>> read_tensor_entries(Cursor& cursor, std::uint64_t count) {
  if (count > cursor.left() / kSmallestEntry)
    return malformed("tensor count is " + std::to_string(count) + ", but the " +
                     std::to_string(cursor.left()) + " bytes left hold no more than " +
                     std::to_string(cursor.left() / kSmallestEntry) + " entries");
  std::vector<TensorEntry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto entry = read_entry(cursor, i);
    if (!entry) return fail(entry.error());
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Result<std::vector<TensorInfo>> place_tensors(std::vector<TensorEntry> entries,
                                              std::span<const std::byte> file,
                                              std::uint64_t data_start, std::uint64_t alignment) {
  std::vector<TensorInfo> tensors;
  if (entries.empty()) return tensors;
  const auto available = data_start < file.size() ? file.size() - data_start : 0;
  for (const auto& entry : entries) {
    if (entry.data_offset % alignment != 0)
      return malformed(where(entry) + ": its data offset is " + std::to_string(entry.data_offset) +
                       ", expected a multiple of the alignment " + std::to_string(alignment));
    if (entry.data_offset > available || entry.data_bytes > available - entry.data_offset)
      return malformed(where(entry) + ": its " + std::to_string(entry.data_bytes) +
                       " bytes at data offset " + std::to_string(entry.data_offset) +
                       " end past the file, which has " + std::to_string(available) +
                       " bytes of data; it is cut short or damaged");
  }
  if (const auto disjoint = check_disjoint(entries); !disjoint) return fail(disjoint.error());
  tensors.reserve(entries.size());
  for (auto& entry : entries) {
    entry.info.data = file.subspan(data_start + entry.data_offset, entry.data_bytes);
    tensors.push_back(std::move(entry.info));
  }
  return tensors;
}

}  // namespace troupe::model::gguf
