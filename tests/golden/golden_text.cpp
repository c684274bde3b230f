#include "golden_text.h"

#include "read_file.h"
#include "troupe/core/json.h"

#include <limits>
#include <string_view>

namespace troupe::golden {
namespace {

/// Reads members of one JSON object; the first that is missing or of another type is the error.
class Members {
 public:
  Members(const Value& object, std::optional<Error>& error) : object_(object), error_(error) {}

  const Value* find(std::string_view key) const { return object_.find(key); }

  std::string text(std::string_view key) {
    const Value* value = need(key, &Value::is_string, "a string");
    return value ? value->as_string() : std::string();
  }

  std::int64_t integer(std::string_view key) {
    const Value* value = need(key, &Value::is_int, "an integer");
    return value ? value->as_int() : 0;
  }

  double number(std::string_view key) {
    const Value* value = need(key, &Value::is_number, "a number");
    return value ? value->as_double() : 0;
  }

  const Value::Array& array(std::string_view key) {
    static const Value::Array kNone;
    const Value* value = need(key, &Value::is_array, "an array");
    return value ? value->as_array() : kNone;
  }

  const Value& object(std::string_view key) {
    static const Value kNone;
    const Value* value = need(key, &Value::is_object, "an object");
    return value ? *value : kNone;
  }

  std::vector<TokenId> ids(std::string_view key) {
    std::vector<TokenId> ids;
    for (const Value& element : array(key)) {
      const bool good = element.is_int() && element.as_int() >= 0 &&
                        element.as_int() <= std::numeric_limits<TokenId>::max();
      if (!good) blame(key, "token ids");
      ids.push_back(good ? static_cast<TokenId>(element.as_int()) : 0);
    }
    return ids;
  }

  std::vector<double> numbers(std::string_view key) {
    std::vector<double> numbers;
    for (const Value& element : array(key)) {
      if (!element.is_number()) blame(key, "numbers");
      numbers.push_back(element.is_number() ? element.as_double() : 0);
    }
    return numbers;
  }

 private:
  void blame(std::string_view key, std::string_view expected) {
    if (!error_)
      error_.emplace(ErrorCode::invalid_argument,
                     "\"" + std::string(key) + "\": expected " + std::string(expected));
  }

  const Value* need(std::string_view key, bool (Value::*is)() const, std::string_view expected) {
    const Value* value = object_.find(key);
    if (value != nullptr && (value->*is)()) return value;
    blame(key, expected);
    return nullptr;
  }

  const Value& object_;
  std::optional<Error>& error_;
};

ModelIdentity identity_of(Members& root, std::optional<Error>& error) {
  Members model(root.object("model"), error);
  return {model.text("file"), model.integer("bytes")};
}

TokenCase case_of(const Value& value, std::optional<Error>& error) {
  Members members(value, error);
  TokenCase found{members.text("name"), members.text("text"), members.ids("ids"), {}, false, true};
  found.has_special_ids = members.find("special_ids") != nullptr;
  found.special_ids = found.has_special_ids ? members.ids("special_ids") : found.ids;
  found.is_expressible = members.find("absent_bytes") == nullptr;
  return found;
}

GoldenPrompt prompt_of(const Value& value, std::optional<Error>& error) {
  Members members(value, error);
  return {members.text("name"), members.text("text"), members.ids("ids")};
}

Continuation continuation_of(const Value& value, std::optional<Error>& error) {
  Members members(value, error);
  return {members.text("prompt"), members.ids("ids"), members.ids("runner_up"),
          members.numbers("margin")};
}

GoldenPerplexity perplexity_of(const Value& value, std::optional<Error>& error) {
  Members members(value, error);
  return {members.text("text"), members.ids("ids"), members.numbers("logprobs"),
          members.number("perplexity")};
}

template <class T>
Result<T> read_with(Result<T> (*parse)(std::string_view), const std::filesystem::path& path) {
  const auto json = read_file(path);
  if (!json) return fail(json.error());
  auto parsed = parse(*json);
  if (!parsed) return fail_at(path.string(), parsed.error());
  return parsed;
}

}  // namespace

Result<GoldenTokens> parse_golden_tokens(std::string_view json) {
  const auto value = parse_json(json);
  if (!value) return fail(value.error());
  std::optional<Error> error;
  Members root(*value, error);
  GoldenTokens tokens;
  tokens.model = identity_of(root, error);
  for (const Value& element : root.array("cases"))
    tokens.cases.push_back(case_of(element, error));
  if (error) return fail(*error);
  return tokens;
}

Result<GoldenText> parse_golden_text(std::string_view json) {
  const auto value = parse_json(json);
  if (!value) return fail(value.error());
  std::optional<Error> error;
  Members root(*value, error);
  GoldenText text;
  text.model = identity_of(root, error);
  text.perplexity = perplexity_of(root.object("perplexity"), error);
  for (const Value& element : root.array("prompts"))
    text.prompts.push_back(prompt_of(element, error));
  for (const Value& element : root.array("continuations"))
    text.continuations.push_back(continuation_of(element, error));
  if (error) return fail(*error);
  return text;
}

Result<GoldenTokens> read_golden_tokens(const std::filesystem::path& path) {
  return read_with(parse_golden_tokens, path);
}

Result<GoldenText> read_golden_text(const std::filesystem::path& path) {
  return read_with(parse_golden_text, path);
}

}  // namespace troupe::golden
