#pragma once
#include "troupe/model/gguf/cursor.h"
#include "troupe/model/model_file.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::model::gguf {

/// One key of the file and its value; both point into the file's bytes.
struct MetadataEntry {
  std::string_view key;
  MetadataValue value;
};

/// All arrays of a file together may hold this many elements (16 million; the largest vocabularies
/// have 300,000), so that a damaged count in a large file cannot ask for more memory than that.
inline constexpr std::uint64_t kMaxArrayElements = std::uint64_t{1} << 24;

/// Reads `count` keys with their values from the cursor's place on.
/// Integers become int64, or uint64 when they are beyond 2^63-1. Arrays of arrays are refused.
/// Errors: invalid_argument (malformed; names the key and the byte), unsupported (an array of
/// arrays). Cost: linear in the bytes read; allocates no more than a small multiple of them.
Result<std::vector<MetadataEntry>> read_metadata(Cursor& cursor, std::uint64_t count);

}  // namespace troupe::model::gguf
