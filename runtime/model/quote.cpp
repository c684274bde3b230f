#include "troupe/model/quote.h"

namespace troupe::model {

std::string quote(std::string_view name) {
  constexpr std::size_t kMaxBytes = 80;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : name.substr(0, kMaxBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      out += c;
    } else {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out + (name.size() > kMaxBytes ? "...\"" : "\"");
}

}  // namespace troupe::model
