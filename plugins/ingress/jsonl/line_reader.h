#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::jsonl {

/// Cuts what a file descriptor gives into lines, in bounded memory: of a line that is too long
/// nothing is kept. Never waits on a descriptor that does not block. One thread.
class LineReader {
 public:
  struct Line {
    std::string text;         // without its newline; empty when too_long
    std::int64_t number = 0;  // from 1
    bool too_long = false;
    bool whole = true;  // false: the file ended before a newline came
  };

  /// `fd` stays open as long as this is used and stays the caller's.
  LineReader(int fd, std::size_t max_line_bytes) : fd_(fd), max_line_bytes_(max_line_bytes) {}

  /// The next line of what was read so far; none: call fill, or, when ended, there is no more.
  std::optional<Line> take();

  /// Reads once. Nothing is read when the descriptor has nothing now. Errors: device.
  Result<void> fill();

  /// Whether the file was read to its end; take may still have lines.
  bool ended() const { return ended_; }

 private:
  Line cut(std::size_t length, bool whole);

  const int fd_;
  const std::size_t max_line_bytes_;
  std::string buffer_;
  std::size_t start_ = 0;    // of the line that comes next
  std::size_t scanned_ = 0;  // no newline stands in [start_, scanned_)
  std::int64_t number_ = 0;
  bool skipping_ = false;  // the rest of a line that is too long
  bool ended_ = false;
};

}  // namespace troupe::jsonl
