#include "troupe/model/jinja/source_text.h"

#include "troupe/model/jinja/unicode.h"

#include <algorithm>

namespace troupe::model::jinja {

SourceText::SourceText(std::string_view source) {
  text_.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const bool carriage_return = source[i] == '\r';
    if (carriage_return && i + 1 < source.size() && source[i + 1] == '\n') ++i;
    text_ += carriage_return ? '\n' : source[i];
  }
  if (!text_.empty() && text_.back() == '\n') text_.pop_back();
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
}

Position SourceText::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - 1;
  const auto head = text().substr(*line, offset - *line);
  return {static_cast<int>(line - line_starts_.begin()) + 1,
          static_cast<int>(character_count(head)) + 1};
}

tl::unexpected<Error> SourceText::error(std::size_t offset, std::string message) const {
  const auto at = position(offset);
  return fail(
      ErrorCode::invalid_argument,
      std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + std::move(message));
}

}  // namespace troupe::model::jinja
