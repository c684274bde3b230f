#include "troupe/model/jinja/escape.h"

#include <string_view>

namespace troupe::model::jinja {
namespace {

std::string_view entity(char byte) {
  switch (byte) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&#34;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

Text escape_html(const Text& text) {
  Text escaped;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto written = entity(text.bytes()[at]);
    if (written.empty()) continue;
    escaped.append(text, copied, at);
    escaped.append(written, text.trusted_at(at));
    copied = at + 1;
  }
  escaped.append(text, copied, text.size());
  return escaped;
}

}  // namespace troupe::model::jinja
