#include "troupe/pipeline/flow_line.h"

#include <cstdint>

namespace troupe::pipeline {
namespace {

class FlowParser {
 public:
  FlowParser(std::string_view text, const SourceLocation& quote, Diagnostics& diagnostics)
      : text_(text), quote_(quote), diagnostics_(diagnostics) {}

  std::optional<FlowLine> parse() {
    FlowLine line;
    while (true) {
      if (!parse_group(line.groups.emplace_back())) return std::nullopt;
      if (at_end()) break;
      const auto where = here();
      if (take("<->"))
        line.arrows.push_back({true, where});
      else if (take("->"))
        line.arrows.push_back({false, where});
      else
        return refuse("\"->\", \"<->\" or \",\"");
    }
    if (!line.arrows.empty()) return line;
    diagnostics_.add(quote_, "a line of 'flow' with a single operator joins nothing",
                     "a line such as \"client -> tokenizer -> scheduler\"");
    return std::nullopt;
  }

 private:
  bool parse_group(std::vector<FlowName>& group) {
    do {
      skip_blanks();
      FlowName name{{}, {}, here()};
      name.op = take_word();
      if (name.op.empty()) {
        refuse("the name of an operator");
        return false;
      }
      if (take(".")) {
        name.port = take_word();
        if (name.port.empty()) {
          refuse("the name of a port");
          return false;
        }
      }
      group.push_back(std::move(name));
      skip_blanks();
    } while (take(","));
    return true;
  }

  std::nullopt_t refuse(std::string expected) {
    std::string found = "the end of the line";
    if (!at_end()) found = "'" + std::string(text_.substr(at_, character_size())) + "'";
    diagnostics_.add(here(), found + " in a line of 'flow'", std::move(expected));
    return std::nullopt;
  }

  /// Bytes of the UTF-8 character at the current place.
  std::size_t character_size() const {
    std::size_t size = 1;
    while (at_ + size < text_.size() && (text_[at_ + size] & 0xC0) == 0x80)
      ++size;
    return size;
  }

  std::string take_word() {
    const auto begin = at_;
    const auto in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    while (!at_end() && in_word(text_[at_]))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void skip_blanks() {
    while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\t'))
      ++at_;
  }

  bool at_end() const { return at_ == text_.size(); }

  SourceLocation here() const {
    auto where = quote_;
    if (where.line != 0) where.column += 1 + static_cast<std::uint32_t>(at_);
    return where;
  }

  std::string_view text_;
  const SourceLocation& quote_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<FlowLine> parse_flow_line(std::string_view text, const SourceLocation& quote,
                                        Diagnostics& diagnostics) {
  return FlowParser(text, quote, diagnostics).parse();
}

}  // namespace troupe::pipeline
