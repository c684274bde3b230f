#include "troupe/model/jinja/json_text.h"

#include "troupe/model/jinja/operators.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

namespace troupe::model::jinja {
namespace {

constexpr int kMaxDepth = 100;

std::string unicode_escape(unsigned code) {
  char buffer[8];
  std::snprintf(buffer, sizeof buffer, "\\u%04x", code);
  return buffer;
}

/// The escape of a character; empty when it stands for itself.
std::string json_escape(char32_t code, bool ascii) {
  constexpr std::string_view kPlain = "\"\\\n\r\t\f\b";
  constexpr std::string_view kLetters = "\"\\nrtfb";
  const auto at = code < 0x80 ? kPlain.find(static_cast<char>(code)) : std::string_view::npos;
  if (at != std::string_view::npos) return {'\\', kLetters[at]};
  if (code < 0x20 || (ascii && code >= 0x80 && code < 0x10000)) return unicode_escape(code);
  if (!ascii || code < 0x80 || code > 0x10FFFF) return {};
  const auto rest = static_cast<unsigned>(code) - 0x10000;
  return unicode_escape(0xD800 + (rest >> 10)) + unicode_escape(0xDC00 + (rest & 0x3FF));
}

class JsonWriter {
 public:
  JsonWriter(Render& render, const JsonStyle& style) : render_(render), style_(style) {}

  Result<void> write(const Var& value) {
    JINJA_CHECK(render_.spend(1));
    JINJA_CHECK(render_.heap().check_text(out_.size()));
    if (value.is_string()) return write_string(value.as_text());
    const bool list = value.is_sequence() && value.as_sequence().kind <= SequenceKind::tuple;
    if (list) return write_list(value.as_sequence());
    if (value.is_mapping() && !value.as_mapping().is_namespace)
      return write_object(value.as_mapping());
    JINJA_TRY(scalar, scalar_text(value));
    out_.append(scalar, value.trusted());
    return {};
  }

  Text take() { return std::move(out_); }

 private:
  Result<std::string> scalar_text(const Var& value) {
    if (value.is_none()) return "null";
    if (value.is_boolean()) return value.as_integer() ? "true" : "false";
    if (value.is_integer()) return std::to_string(value.as_integer());
    if (!value.is_number())
      return fault("Object of type " + std::string(type_name(value)) + " is not JSON serializable");
    if (std::isnan(value.as_real())) return "NaN";
    if (std::isinf(value.as_real())) return value.as_real() < 0 ? "-Infinity" : "Infinity";
    return real_repr(value.as_real());
  }

  Result<void> write_string(const Text& text) {
    JINJA_CHECK(render_.spend(text.size() / 8));
    out_.append("\"", false);
    for (std::size_t at = 0; at < text.size();) {
      const auto character = character_at(text.view(), at);
      const auto escape = json_escape(character.code, style_.ensure_ascii);
      if (escape.empty()) {
        out_.append(text, at, at + character.size);
      } else {
        out_.append(escape, text.trusted_at(at));
      }
      at += character.size;
    }
    out_.append("\"", false);
    return {};
  }

  Result<void> open(std::string_view bracket) {
    out_.append(bracket, false);
    if (++depth_ <= kMaxDepth) return {};
    return fault("a value is nested deeper than " + std::to_string(kMaxDepth) + " levels");
  }

  void close(std::string_view bracket, bool empty) {
    --depth_;
    if (!empty) new_line();
    out_.append(bracket, false);
  }

  void new_line() {
    if (!style_.indent) return;
    out_.append("\n", false);
    for (int i = 0; i < depth_; ++i)
      out_.append(*style_.indent);
  }

  void next_item(bool first) {
    if (!first) out_.append(style_.item_separator);
    new_line();
  }

  Result<void> write_list(const Sequence& list) {
    JINJA_CHECK(open("["));
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      next_item(i == 0);
      JINJA_CHECK(write(list.items[i]));
    }
    close("]", list.items.empty());
    return {};
  }

  Result<void> write_object(const Mapping& mapping) {
    JINJA_CHECK(open("{"));
    JINJA_TRY(order, key_order(mapping));
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto& [key, value] = mapping.entries[order[i]];
      next_item(i == 0);
      if (key.is_string()) {
        JINJA_CHECK(write_string(key.as_text()));
      } else {
        JINJA_TRY(name, scalar_text(key));
        out_.append("\"" + name + "\"", false);
      }
      out_.append(style_.key_separator);
      JINJA_CHECK(write(value));
    }
    close("}", mapping.entries.empty());
    return {};
  }

  Result<std::vector<std::size_t>> key_order(const Mapping& mapping) {
    std::vector<std::size_t> order(mapping.entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!style_.sort_keys) return order;
    for (const auto& entry : mapping.entries)
      if (!entry.first.is_string()) return fault("tojson can sort keys only when all are strings");
    JINJA_CHECK(render_.spend(order.size() * 4));
    std::sort(order.begin(), order.end(), [&mapping](std::size_t a, std::size_t b) {
      return mapping.entries[a].first.as_text().bytes() <
             mapping.entries[b].first.as_text().bytes();
    });
    return order;
  }

  Render& render_;
  const JsonStyle& style_;
  Text out_;
  int depth_ = 0;
};

}  // namespace

Result<Text> json_text(Render& render, const Var& value, const JsonStyle& style) {
  JsonWriter writer(render, style);
  JINJA_CHECK(writer.write(value));
  return writer.take();
}

}  // namespace troupe::model::jinja
