// Refuses requests with forbidden words, and takes words out of prompts and answers.
#include "troupe/api/plugin.h"
#include "word_replacer.h"

#include <map>
#include <utility>

namespace {

using namespace troupe;

constexpr ParamSpec kParams[] = {
    {.name = "refuse",
     .type = ParamType::text_list,
     .default_value = "[]",
     .help = "requests with one of these words are refused; upper and lower case are alike"},
    {.name = "refusal",
     .type = ParamType::text,
     .default_value = "\"this request is not allowed here\"",
     .help = "what the client of a refused request is told"},
    {.name = "redact",
     .type = ParamType::text_list,
     .default_value = "[]",
     .help =
         "words that are replaced in prompts, and in answers when the pipeline sends them through"},
    {.name = "replacement",
     .type = ParamType::text,
     .default_value = "\"[...]\"",
     .help = "what stands in place of a redacted word"},
};

class Guard final : public Stage {
 public:
  Result<void> configure(const Params& params) override {
    refused_ = WordReplacer(params.get_texts("refuse"), "");
    refusal_ = params.get_text("refusal");
    redacted_ = WordReplacer(params.get_texts("redact"), params.get_text("replacement"));
    return {};
  }

  StageVerdict on_request(Request& request) override {
    if (any_text(request, [&](std::string& text) { return refused_.contains_any(text); }))
      return StageVerdict::refuse(Error(ErrorCode::invalid_argument, refusal_));
    if (!redacted_.empty())
      any_text(request, [&](std::string& text) {
        text = redacted_.replace(text);
        return false;
      });
    return StageVerdict::pass();
  }

  void on_event(TokenEvent& event) override {
    if (redacted_.empty()) return;
    const auto key = std::make_pair(event.context->id, event.choice);
    const bool ended = event.last || event.finish != FinishReason::none;
    event.text = redacted_.stream(pending_[key], event.text, ended);
    if (ended) pending_.erase(key);
    if (event.last)
      std::erase_if(pending_,
                    [&](const auto& entry) { return entry.first.first == event.context->id; });
  }

 private:
  /// Calls `visit` on each text the user wrote, until one returns true.
  template <class Visit>
  static bool any_text(Request& request, const Visit& visit) {
    for (auto& message : request.messages)
      if (visit_strings(message, visit)) return true;
    for (auto& piece : request.prompt)
      if (visit(piece.text)) return true;
    return false;
  }

  /// The strings below `content` of a message: a text, or the text parts of a list.
  template <class Visit>
  static bool visit_strings(Value& message, const Visit& visit) {
    if (!message.is_object()) return false;
    for (auto& [key, value] : message.as_object())
      if (key == "content" && visit_texts(value, visit)) return true;
    return false;
  }

  template <class Visit>
  static bool visit_texts(Value& value, const Visit& visit) {
    if (value.is_string()) {
      std::string text = value.as_string();
      if (visit(text)) return true;
      value = Value(std::move(text));
    } else if (value.is_array()) {
      for (auto& part : value.as_array())
        if (visit_texts(part, visit)) return true;
    } else if (value.is_object()) {
      for (auto& [key, item] : value.as_object())
        if (key == "text" && visit_texts(item, visit)) return true;
    }
    return false;
  }

  WordReplacer refused_{{}, {}}, redacted_{{}, {}};
  std::string refusal_;
  std::map<std::pair<RequestId, std::int32_t>, std::string> pending_;  // by request and choice
};

constexpr OperatorSpec kSpec = make_operator<Guard, OperatorKind::stage>(
    "guard", "refuses requests with forbidden words; takes words out of prompts and answers", "",
    kParams);

}  // namespace

TROUPE_PLUGIN(stage, guard, kSpec)
