#include "troupe/model/gguf/reader.h"

#include "troupe/model/gguf/cursor.h"
#include "troupe/model/gguf/format.h"
#include "troupe/model/gguf/name_index.h"
#include "troupe/model/gguf/tensor_directory.h"
#include "troupe/model/quote.h"

#include <cstring>
#include <string>
#include <utility>

namespace troupe::model::gguf {
namespace {

Result<void> check_version(std::uint32_t version) {
  if (version == 2 || version == 3) return {};
  if (version == 1)
    return fail(
        ErrorCode::unsupported,
        "GGUF version 1, which was replaced in 2023; expected 2 or 3: convert the model again");
  if (version == 0x02000000 || version == 0x03000000)
    return fail(ErrorCode::unsupported, "a big-endian GGUF file; expected a little-endian one");
  return fail(ErrorCode::unsupported,
              "GGUF version " + std::to_string(version) + " at byte 4; this build reads 2 and 3");
}

template <class Named, class Name>
Result<void> check_unique(const std::vector<Named>& items, Name Named::*name,
                          std::string_view what) {
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const auto& item : items)
    names.emplace_back(item.*name);
  if (const auto twice = NameIndex(names).duplicate())
    return fail(ErrorCode::invalid_argument,
                std::string(what) + " " + quote(*twice) + " stands more than once in the file");
  return {};
}

/// The alignment of the data section. Errors: a value that is no valid alignment, or not an
/// integer.
Result<std::uint64_t> read_alignment(const std::vector<MetadataEntry>& metadata) {
  for (const auto& entry : metadata) {
    if (entry.key != kAlignmentKey) continue;
    const auto* value = std::get_if<std::int64_t>(&entry.value);
    if (value != nullptr && *value > 0 && is_valid_alignment(static_cast<std::uint64_t>(*value)))
      return static_cast<std::uint64_t>(*value);
    return fail(ErrorCode::invalid_argument,
                "key " + quote(kAlignmentKey) + " is " +
                    (value != nullptr ? std::to_string(*value) : "no integer") +
                    ", expected a power of two from 8 to " + std::to_string(kMaxAlignment));
  }
  return kDefaultAlignment;
}

struct Counts {
  std::uint64_t tensors = 0;
  std::uint64_t metadata = 0;
};

Result<Counts> read_header(Cursor& cursor) {
  const auto magic = cursor.read<std::uint32_t>("magic number");
  if (!magic) return fail(magic.error());
  const auto version = cursor.read<std::uint32_t>("version");
  if (!version) return fail(version.error());
  if (const auto known = check_version(*version); !known) return fail(known.error());
  const auto tensors = cursor.read<std::uint64_t>("tensor count");
  if (!tensors) return fail(tensors.error());
  const auto metadata = cursor.read<std::uint64_t>("metadata count");
  if (!metadata) return fail(metadata.error());
  return Counts{*tensors, *metadata};
}

}  // namespace

bool has_magic(std::span<const std::byte> file) {
  return file.size() >= kMagic.size() &&
         std::memcmp(file.data(), kMagic.data(), kMagic.size()) == 0;
}

Result<Contents> parse(std::span<const std::byte> file) {
  if (!has_magic(file))
    return fail(ErrorCode::invalid_argument, "no GGUF file: it does not begin with \"GGUF\"");
  Cursor cursor(file);
  const auto counts = read_header(cursor);
  if (!counts) return fail(counts.error());
  Contents contents;
  auto metadata = read_metadata(cursor, counts->metadata);
  if (!metadata) return fail(metadata.error());
  contents.metadata = std::move(*metadata);
  if (auto unique = check_unique(contents.metadata, &MetadataEntry::key, "key"); !unique)
    return fail(unique.error());
  const auto alignment = read_alignment(contents.metadata);
  if (!alignment) return fail(alignment.error());
  auto entries = read_tensor_entries(cursor, counts->tensors);
  if (!entries) return fail(entries.error());
  auto tensors =
      place_tensors(std::move(*entries), file, align_up(cursor.offset(), *alignment), *alignment);
  if (!tensors) return fail(tensors.error());
  contents.tensors = std::move(*tensors);
  if (auto unique = check_unique(contents.tensors, &TensorInfo::name, "tensor"); !unique)
    return fail(unique.error());
  return contents;
}

}  // namespace troupe::model::gguf
