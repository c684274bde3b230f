#pragma once
#include "troupe/api/result.h"
#include "troupe/api/value.h"
#include "troupe/model/jinja/limits.h"
#include "troupe/model/model_file.h"
#include "troupe/model/text_span.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::model {

namespace jinja {
class Template;
}

/// The texts of a tokenizer's special tokens, as templates name them (`bos_token`, ...). One that
/// the tokenizer lacks is undefined in the template.
struct SpecialTokens {
  std::optional<std::string> bos;
  std::optional<std::string> eos;
  std::optional<std::string> unk;
  std::optional<std::string> pad;
};

/// What a chat template renders. Everything but `now` and `limits` comes from the request and is
/// untrusted, with one exception: a message's `role` that is a word every client may choose
/// ("system", "developer", "user", "assistant", "tool", "function", "ipython", "model"), since
/// templates write control tokens such as <|user|> with it.
struct RenderInput {
  /// Array of messages.
  Value messages;
  /// Array of tools; null when there are none.
  Value tools;
  /// Array of documents; null when there are none.
  Value documents;
  bool add_generation_prompt = true;
  /// Object of further variables (`enable_thinking`, ...), or null. May not name a variable that
  /// the engine sets itself.
  Value chat_template_kwargs;
  /// What strftime_now() shows; see template_clock().
  std::chrono::local_seconds now{};
  jinja::Limits limits;
};

/// A prompt, and which of its bytes the template itself wrote. Control tokens may be recognised
/// only where one lies in a single trusted span: the rest is what the request brought.
struct RenderedPrompt {
  /// UTF-8 when the input was.
  std::string text;
  /// Ascending, not empty, neither overlapping nor adjacent.
  std::vector<TextSpan> trusted;
};

/// A parsed chat template in the dialect of Jinja that Hugging Face's transformers render.
/// Immutable; any number of threads may render with it.
class ChatTemplate {
 public:
  /// Parses `source`. Errors: invalid_argument with line:column, what was found and what was
  /// expected.
  static Result<ChatTemplate> parse(std::string_view source, SpecialTokens tokens);

  /// The prompt of a conversation. Errors: invalid_argument for a message the template raised (its
  /// exact text), for a fault of the template on this input ("line 3: ..."), for a limit that was
  /// reached, and for input of the wrong shape.
  Result<RenderedPrompt> render(const RenderInput& input) const;

  const SpecialTokens& special_tokens() const { return tokens_; }

 private:
  ChatTemplate(std::shared_ptr<const jinja::Template> parsed, SpecialTokens tokens);

  std::shared_ptr<const jinja::Template> template_;
  SpecialTokens tokens_;
};

/// The chat template of a model file: `tokenizer.chat_template`, or `tokenizer.chat_template.NAME`
/// when a name is given, with the special tokens its tokenizer names. Errors: not_found (no such
/// template; the message lists those there are), invalid_argument (a malformed one, or a special
/// token outside the vocabulary).
Result<ChatTemplate> chat_template_of(const ModelFile& file, std::string_view name = {});

/// The special tokens that a model file's tokenizer names.
/// Errors: invalid_argument for an id outside the vocabulary.
Result<SpecialTokens> special_tokens_of(const ModelFile& file);

/// The time to hand to render(): SOURCE_DATE_EPOCH (seconds since 1970, UTC) when that environment
/// variable is set, else the local time. Errors: invalid_argument when the variable is no number.
Result<std::chrono::local_seconds> template_clock();

}  // namespace troupe::model
