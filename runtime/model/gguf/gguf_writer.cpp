#include "troupe/model/gguf/gguf_writer.h"

#include "troupe/model/gguf/name_index.h"
#include "troupe/model/quote.h"
#include "troupe/model/weight_type.h"

#include <fstream>
#include <system_error>
#include <utility>

namespace troupe::model::gguf {
namespace {

Result<void> check_names(std::span<const std::string_view> names, std::size_t max_bytes,
                         std::string_view what) {
  for (const auto name : names)
    if (name.empty() || name.size() > max_bytes)
      return fail(ErrorCode::invalid_argument,
                  std::string(what) + " " + quote(name) + " has " + std::to_string(name.size()) +
                      " bytes, expected 1 to " + std::to_string(max_bytes));
  if (const auto twice = NameIndex(names).duplicate())
    return fail(ErrorCode::invalid_argument,
                std::string(what) + " " + quote(*twice) + " was added more than once");
  return {};
}

bool fits(WeightType type, std::span<const std::int64_t> shape, std::size_t data_bytes) {
  if (shape.empty() || shape.size() > kMaxDimensions) return false;
  if (shape.back() < 1 || shape.back() % weight_block(type).elements != 0) return false;
  auto bytes = row_bytes(type, shape.back());
  for (const auto dimension : shape.first(shape.size() - 1))
    if (__builtin_mul_overflow(bytes, dimension, &bytes)) return false;
  return bytes > 0 && static_cast<std::size_t>(bytes) == data_bytes;
}

}  // namespace

void GgufWriter::begin_entry(std::string_view key, ValueType type) {
  keys_.emplace_back(key);
  put(metadata_, key);
  put(metadata_, static_cast<std::uint32_t>(type));
}

void GgufWriter::set_alignment(std::uint32_t alignment) {
  alignment_ = alignment;
  add(kAlignmentKey, alignment);
}

void GgufWriter::add_tensor(std::string_view name, WeightType type, std::vector<std::int64_t> shape,
                            std::span<const std::byte> data) {
  tensors_.push_back({std::string(name), type, std::move(shape), {data.begin(), data.end()}});
}

Result<void> GgufWriter::check() const {
  if (!is_valid_alignment(alignment_))
    return fail(ErrorCode::invalid_argument, "alignment " + std::to_string(alignment_) +
                                                 ", expected a power of two from 8 to " +
                                                 std::to_string(kMaxAlignment));
  const std::vector<std::string_view> keys(keys_.begin(), keys_.end());
  if (auto named = check_names(keys, kMaxKeyBytes, "key"); !named) return named;
  std::vector<std::string_view> names;
  for (const auto& tensor : tensors_)
    names.emplace_back(tensor.name);
  if (auto named = check_names(names, kMaxTensorNameBytes, "tensor"); !named) return named;
  for (const auto& tensor : tensors_)
    if (!fits(tensor.type, tensor.shape, tensor.data.size()))
      return fail(ErrorCode::invalid_argument, "tensor " + quote(tensor.name) + ": its " +
                                                   std::to_string(tensor.data.size()) +
                                                   " bytes do not fit its shape and type");
  return {};
}

Result<std::vector<std::byte>> GgufWriter::bytes() const {
  if (auto valid = check(); !valid) return fail(valid.error());
  Bytes out;
  append(out, std::as_bytes(std::span(kMagic)));
  put(out, version_);
  put(out, static_cast<std::uint64_t>(tensors_.size()));
  put(out, static_cast<std::uint64_t>(keys_.size()));
  append(out, metadata_);
  std::uint64_t offset = 0;
  for (const auto& tensor : tensors_) {
    put(out, tensor.name);
    put(out, static_cast<std::uint32_t>(tensor.shape.size()));
    for (auto dimension = tensor.shape.rbegin(); dimension != tensor.shape.rend(); ++dimension)
      put(out, static_cast<std::uint64_t>(*dimension));
    put(out, tensor_type_id(tensor.type));
    put(out, offset);
    offset = align_up(offset + tensor.data.size(), alignment_);
  }
  for (const auto& tensor : tensors_) {
    out.resize(align_up(out.size(), alignment_));
    append(out, tensor.data);
  }
  return out;
}

Result<void> GgufWriter::write(const std::filesystem::path& path) const {
  const auto content = bytes();
  if (!content) return fail_at(path.string(), content.error());
  auto partial = path;
  partial += ".partial";
  std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(content->data()),
               static_cast<std::streamsize>(content->size()));
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(partial, path, error);
  if (!stream || error)
    return fail(ErrorCode::device, path.string() +
                                       ": cannot write the file; is its folder there, "
                                       "writable and not full?");
  return {};
}

}  // namespace troupe::model::gguf
