#pragma once
#include "troupe/model/gguf/metadata.h"
#include "troupe/model/model_file.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace troupe::model::gguf {

/// What a GGUF file says; names, strings and data point into its bytes.
struct Contents {
  std::vector<MetadataEntry> metadata;
  std::vector<TensorInfo> tensors;
};

/// Whether the bytes begin as a GGUF file does.
bool has_magic(std::span<const std::byte> file);

/// Reads and checks a whole file, little-endian, of version 2 or 3. Touches no tensor data.
/// Errors: invalid_argument (malformed; names the field, the tensor and the byte), unsupported
/// (another version, a big-endian file, a tensor type this build does not read).
Result<Contents> parse(std::span<const std::byte> file);

}  // namespace troupe::model::gguf
