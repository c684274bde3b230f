#pragma once
#include "troupe/model/text_span.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::model::jinja {

/// A string that knows of each byte whether the template wrote it (trusted) or the request brought
/// it.
class Text {
 public:
  Text() = default;
  Text(std::string bytes, bool trusted);

  const std::string& bytes() const { return bytes_; }
  std::string_view view() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  /// Ascending, not empty, neither overlapping nor adjacent.
  const std::vector<TextSpan>& trusted() const { return trusted_; }
  /// Pre: at < size(). Cost: logarithmic in the number of spans.
  bool trusted_at(std::size_t at) const;

  void append(std::string_view bytes, bool trusted);
  void append(const Text& other) { append(other, 0, other.size()); }
  /// Appends the bytes [begin, end) of `other` with their marks. Pre: begin <= end <= other.size().
  void append(const Text& other, std::size_t begin, std::size_t end);
  Text slice(std::size_t begin, std::size_t end) const;

  bool operator==(const Text& other) const { return bytes_ == other.bytes_; }

 private:
  void mark(std::size_t begin, std::size_t end);

  std::string bytes_;
  std::vector<TextSpan> trusted_;
};

}  // namespace troupe::model::jinja
