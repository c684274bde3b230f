#pragma once
#include "file_descriptor.h"
#include "troupe/api/value.h"

#include <cstdint>
#include <set>
#include <string>

namespace troupe::jsonl {

/// What an earlier run left in its file of results.
struct EarlierResults {
  std::set<std::string> done;      // ids of the requests that have a result
  std::set<std::int64_t> dropped;  // numbers of the lines that are made again
  bool unfinished = false;         // the last line lacks its newline
};

/// Reads the file through. Lines with an error, and a last line that was cut off while it was
/// written, are to be made again. Errors: invalid_argument when any other line is no result (the
/// file is somebody else's), device.
Result<EarlierResults> read_earlier_results(const FileDescriptor& file, const std::string& path);

/// Puts a copy without the dropped lines in place of the file, all at once, so that a crash leaves
/// the old file or the new one. Mode and owner stay; the new file is locked. Pre: path is no link.
/// Errors: device; then the file is as it was.
Result<FileDescriptor> drop_lines(const FileDescriptor& file, const std::string& path,
                                  const EarlierResults& earlier);

/// The name a result or request line goes by: its `id` or `custom_id`; empty without one.
std::string name_of(const Value& line);

/// Writes all of it. Errors: device. Pre: the descriptor blocks.
Result<void> write_all(int fd, std::string_view text, const std::string& path);

}  // namespace troupe::jsonl
