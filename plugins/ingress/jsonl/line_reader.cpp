#include "line_reader.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace troupe::jsonl {
namespace {

constexpr std::size_t kChunk = 64 * 1024;

}  // namespace

LineReader::Line LineReader::cut(std::size_t length, bool whole) {
  Line line{{}, ++number_, skipping_ || length > max_line_bytes_, whole};
  if (!line.too_long) line.text = buffer_.substr(start_, length);
  skipping_ = false;
  return line;
}

std::optional<LineReader::Line> LineReader::take() {
  if (const auto end = buffer_.find('\n', scanned_); end != std::string::npos) {
    auto line = cut(end - start_, true);
    start_ = scanned_ = end + 1;
    return line;
  }
  scanned_ = buffer_.size();
  if (ended_) {
    if (scanned_ == start_ && !skipping_) return std::nullopt;
    auto line = cut(scanned_ - start_, false);
    start_ = scanned_;
    return line;
  }
  if (skipping_ || scanned_ - start_ > max_line_bytes_) {
    skipping_ = true;
    start_ = scanned_;
  }
  return std::nullopt;
}

Result<void> LineReader::fill() {
  buffer_.erase(0, start_);
  scanned_ -= start_;
  start_ = 0;
  const auto size = buffer_.size();
  buffer_.resize(size + kChunk);
  const auto count = ::read(fd_, buffer_.data() + size, kChunk);
  const int reason = errno;
  buffer_.resize(size + static_cast<std::size_t>(count > 0 ? count : 0));
  if (count == 0) ended_ = true;
  if (count >= 0 || reason == EAGAIN || reason == EINTR) return {};
  return fail(ErrorCode::device, std::string("cannot be read: ") + std::strerror(reason));
}

}  // namespace troupe::jsonl
