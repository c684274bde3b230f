#include "troupe/model/jinja/text.h"

#include <algorithm>
#include <utility>

namespace troupe::model::jinja {

Text::Text(std::string bytes, bool trusted) : bytes_(std::move(bytes)) {
  if (trusted) mark(0, bytes_.size());
}

bool Text::trusted_at(std::size_t at) const {
  const auto span = std::partition_point(trusted_.begin(), trusted_.end(),
                                         [at](const TextSpan& s) { return s.end <= at; });
  return span != trusted_.end() && span->begin <= at;
}

void Text::append(std::string_view bytes, bool trusted) {
  const auto begin = bytes_.size();
  bytes_.append(bytes);
  if (trusted) mark(begin, bytes_.size());
}

void Text::append(const Text& other, std::size_t begin, std::size_t end) {
  const auto base = bytes_.size();
  bytes_.append(other.bytes_, begin, end - begin);
  auto span = std::partition_point(other.trusted_.begin(), other.trusted_.end(),
                                   [begin](const TextSpan& s) { return s.end <= begin; });
  for (; span != other.trusted_.end() && span->begin < end; ++span)
    mark(base + std::max(span->begin, begin) - begin, base + std::min(span->end, end) - begin);
}

Text Text::slice(std::size_t begin, std::size_t end) const {
  Text piece;
  piece.append(*this, begin, end);
  return piece;
}

void Text::mark(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  if (!trusted_.empty() && trusted_.back().end == begin) {
    trusted_.back().end = end;
  } else {
    trusted_.push_back({begin, end});
  }
}

}  // namespace troupe::model::jinja
