#include "troupe/model/chat_template.h"
#include "troupe/model/jinja/try.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

namespace troupe::model {
namespace {

constexpr std::string_view kTemplateKey = "tokenizer.chat_template";

Result<std::optional<std::string>> token_text(const ModelFile& file, std::string_view key) {
  JINJA_TRY(id, file.find_int(key));
  if (!id) return std::nullopt;
  JINJA_TRY(tokens, file.find_strings("tokenizer.ggml.tokens"));
  if (*id < 0 || static_cast<std::uint64_t>(*id) >= tokens.size())
    return fail(ErrorCode::invalid_argument,
                std::string(key) + " is " + std::to_string(*id) +
                    ", expected an id below the vocabulary's size of " +
                    std::to_string(tokens.size()));
  return std::string(tokens[static_cast<std::size_t>(*id)]);
}

/// " It has: default, tool_use." for the message on a template that is not there.
std::string available_templates(const ModelFile& file) {
  std::string names;
  for (const auto key : file.metadata_keys()) {
    if (!key.starts_with(kTemplateKey)) continue;
    auto name = key.substr(kTemplateKey.size());
    if (!name.empty() && name[0] != '.') continue;
    names += (names.empty() ? " It has: " : ", ") +
             std::string(name.empty() ? "default" : name.substr(1));
  }
  return names.empty() ? names : names + ".";
}

}  // namespace

Result<SpecialTokens> special_tokens_of(const ModelFile& file) {
  SpecialTokens tokens;
  JINJA_TRY(bos, token_text(file, "tokenizer.ggml.bos_token_id"));
  JINJA_TRY(eos, token_text(file, "tokenizer.ggml.eos_token_id"));
  JINJA_TRY(unk, token_text(file, "tokenizer.ggml.unknown_token_id"));
  JINJA_TRY(pad, token_text(file, "tokenizer.ggml.padding_token_id"));
  return SpecialTokens{std::move(bos), std::move(eos), std::move(unk), std::move(pad)};
}

Result<ChatTemplate> chat_template_of(const ModelFile& file, std::string_view name) {
  const auto key = std::string(kTemplateKey) + (name.empty() ? "" : "." + std::string(name));
  JINJA_TRY(source, file.find_string(key));
  if (!source)
    return fail(ErrorCode::not_found,
                file.path().string() + " has no chat template" +
                    (name.empty() ? "" : " named '" + std::string(name) + "'") + "." +
                    available_templates(file));
  JINJA_TRY(tokens, special_tokens_of(file));
  auto parsed = ChatTemplate::parse(*source, std::move(tokens));
  if (!parsed) return fail_at(file.path().string() + ": " + key, parsed.error());
  return parsed;
}

Result<std::chrono::local_seconds> template_clock() {
  using std::chrono::seconds;
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (epoch && *epoch != '\0') {
    const std::string_view text(epoch);
    std::int64_t since = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), since);
    constexpr std::int64_t kYear9999 = 253402300799;
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || since < 0 ||
        since > kYear9999)
      return fail(ErrorCode::invalid_argument,
                  "SOURCE_DATE_EPOCH is \"" + std::string(text) +
                      "\", expected the seconds since 1970 as a whole number");
    return std::chrono::local_seconds(seconds(since));
  }
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return std::chrono::local_seconds(seconds(now + local.tm_gmtoff));
}

}  // namespace troupe::model
