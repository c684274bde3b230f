#pragma once
#include "troupe/model/gguf/cursor.h"
#include "troupe/model/model_file.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe::model::gguf {

/// A tensor's entry as the file has it, its size computed and its data not yet found.
struct TensorEntry {
  TensorInfo info;
  /// From the start of the data section.
  std::uint64_t data_offset = 0;
  std::uint64_t data_bytes = 0;
  /// Where the entry itself stands in the file.
  std::uint64_t entry_offset = 0;
};

/// Reads `count` tensor entries from the cursor's place on.
/// Errors: invalid_argument (malformed; names the tensor and the byte), unsupported (a tensor type
/// this build does not read).
Result<std::vector<TensorEntry>> read_tensor_entries(Cursor& cursor, std::uint64_t count);

/// Gives each entry its span of `file`, whose data section begins at `data_start`.
/// Errors: invalid_argument for data that is misaligned, past the end of the file, or shared by two
/// tensors.
Result<std::vector<TensorInfo>> place_tensors(std::vector<TensorEntry> entries,
                                              std::span<const std::byte> file,
                                              std::uint64_t data_start, std::uint64_t alignment);

}  // namespace troupe::model::gguf
