#include "pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <limits>
#include <new>

namespace troupe::bpe {
namespace {

constexpr std::string_view kSpaces = R"(\t-\r\x{85}\p{Z})";
constexpr std::size_t kJitStackMin = 64 * 1024;
constexpr std::size_t kJitStackMax = 64 * 1024 * 1024;

std::string pcre2_message(int code) {
  char text[256] = {};
  pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(text), sizeof text);
  return text;
}

template <class T>
T* required(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

}  // namespace

struct PatternScratch::State {
  pcre2_match_data* data = required(pcre2_match_data_create(1, nullptr));
  pcre2_match_context* context = required(pcre2_match_context_create(nullptr));
  pcre2_jit_stack* stack = pcre2_jit_stack_create(kJitStackMin, kJitStackMax, nullptr);

  State() {
    // Long texts are no fault: the patterns are ours, and each takes time linear in the text.
    pcre2_set_match_limit(context, std::numeric_limits<std::uint32_t>::max());
    pcre2_set_depth_limit(context, std::numeric_limits<std::uint32_t>::max());
    pcre2_jit_stack_assign(context, nullptr, stack);
  }
  ~State() {
    pcre2_jit_stack_free(stack);
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

PatternScratch::PatternScratch() : state_(std::make_unique<State>()) {}
PatternScratch::~PatternScratch() = default;
PatternScratch::PatternScratch(PatternScratch&&) noexcept = default;

struct Pattern::Code {
  pcre2_code* code;
  bool jit;

  Code(pcre2_code* compiled)
      : code(compiled), jit(pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE) == 0) {}
  ~Code() { pcre2_code_free(code); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
};

std::string spell_out_spaces(std::string_view expression) {
  std::string out;
  bool in_brackets = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c != '\\' || i + 1 == expression.size()) {
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
      out.push_back(c);
      continue;
    }
    const char escaped = expression[++i];
    if (escaped == 's' && in_brackets)
      out.append(kSpaces);
    else if (escaped == 's' || escaped == 'S')
      out.append(escaped == 's' ? "[" : "[^").append(kSpaces).append("]");
    else
      out.append({'\\', escaped});
  }
  return out;
}

Result<Pattern> Pattern::compile(std::string_view expression) {
  const std::string text = spell_out_spaces(expression);
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                   PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
  if (code == nullptr)
    return fail(ErrorCode::internal, "pattern " + text + ": offset " + std::to_string(offset) +
                                         ": " + pcre2_message(error));
  Pattern pattern;
  pattern.code_ = std::make_shared<const Code>(code);
  return pattern;
}

Result<std::optional<Span>> Pattern::find(std::string_view subject, std::size_t from,
                                          PatternScratch& scratch) const {
  auto& state = *scratch.state_;
  const auto* text = reinterpret_cast<PCRE2_SPTR>(subject.data());
  int found = PCRE2_ERROR_JIT_STACKLIMIT;
  if (code_->jit)
    found = pcre2_jit_match(code_->code, text, subject.size(), from, PCRE2_NO_UTF_CHECK, state.data,
                            state.context);
  // The interpreter keeps what it has to come back to on the heap and knows no such limit.
  if (found == PCRE2_ERROR_JIT_STACKLIMIT)
    found = pcre2_match(code_->code, text, subject.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                        state.data, state.context);
  if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (found < 0)
    return fail(ErrorCode::internal, "splitting a text of " + std::to_string(subject.size()) +
                                         " bytes at offset " + std::to_string(from) + ": " +
                                         pcre2_message(found));
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(state.data);
  return Span{ends[0], ends[1]};
}

}  // namespace troupe::bpe
