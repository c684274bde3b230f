#include "troupe/core/request_json.h"

#include "troupe/core/field_reader.h"
#include "troupe/core/json.h"
#include "troupe/core/sampling_json.h"
#include "troupe/core/sampling_limits.h"

#include <limits>

namespace troupe {
namespace {

constexpr std::int64_t kMostInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostInt64 = std::numeric_limits<std::int64_t>::max();
/// A day: a deadline farther off says nothing.
constexpr std::int64_t kLongestTimeoutMs = 24 * 3600 * 1000;

void read_prompt(FieldReader& reader, Request& request) {
  const auto* prompt = reader.any("prompt");
  if (!prompt) return;
  request.kind = RequestKind::completion;
  if (prompt->is_string())
    request.prompt = {{prompt->as_string(), false}};
  else if (prompt->is_array())
    reader.integers("prompt", request.prompt_ids, 0, kMostInt32);
  else
    reader.refuse("prompt", "a string or an array of token ids", *prompt);
}

void read_messages(FieldReader& reader, Request& request) {
  const auto* messages = reader.any("messages");
  if (!messages) return;
  request.kind = RequestKind::chat;
  if (!messages->is_array() || messages->as_array().empty())
    return reader.refuse("messages", "an array with at least one message", *messages);
  for (const auto& message : messages->as_array()) {
    const auto* role = message.find("role");
    if (!role || !role->is_string())
      return reader.refuse("messages", "objects with a string 'role'", message);
    request.messages.push_back(message);
  }
}

void read_template_arguments(FieldReader& reader, Request& request) {
  if (const auto* tools = reader.any("tools")) {
    if (!tools->is_array()) return reader.refuse("tools", "an array", *tools);
    request.tools = *tools;
  }
  if (const auto* arguments = reader.any("chat_template_kwargs")) {
    if (!arguments->is_object())
      return reader.refuse("chat_template_kwargs", "an object", *arguments);
    request.chat_template_kwargs = *arguments;
  }
  reader.boolean("add_generation_prompt", request.add_generation_prompt);
}

void read_input(FieldReader& reader, Request& request) {
  const bool prompt = reader.any("prompt") != nullptr;
  const bool messages = reader.any("messages") != nullptr;
  if (prompt == messages)
    return reader.refuse(
        Error(ErrorCode::invalid_argument,
              prompt ? "found both 'prompt' and 'messages'; expected one of them"
                     : "found neither 'prompt' nor 'messages'; expected one of them"));
  read_prompt(reader, request);
  read_messages(reader, request);
  read_template_arguments(reader, request);
}

void read_handling(FieldReader& reader, Request& request, Time now) {
  reader.text("id", request.client_id);
  reader.text("model", request.model);
  reader.integer("n", request.n, 1, kMostInt32);
  reader.integer("best_of", request.best_of, 1, kMostInt32);
  reader.boolean("echo", request.echo);
  reader.boolean("stream", request.stream);
  reader.integer("priority", request.priority, -kMostInt32, kMostInt32);
  reader.text("tenant", request.tenant);
  reader.text("user", request.tenant);
  reader.text("cache_salt", request.cache_salt);
  std::int64_t timeout_ms = 0;
  reader.integer("timeout_ms", timeout_ms, 1, kLongestTimeoutMs);
  if (timeout_ms > 0) request.deadline = now + std::chrono::milliseconds(timeout_ms);
}

/// All fields but those of the prompt, and then the request as a whole.
Result<void> read_fields(FieldReader& reader, Time now, Request& request) {
  read_handling(reader, request, now);
  read_sampling(reader, request.sampling);
  read_stop(reader, request.stop);
  // Who wants the prompt back and log-probabilities wants those of the prompt as well.
  if (request.echo && !request.wants_prompt_logprobs())
    request.sampling.prompt_logprobs = request.sampling.logprobs;
  if (auto fields = reader.finish(); !fields) return fields;
  if (auto valid = validate(request.sampling, request.stop, 0); !valid) return valid;
  return validate_request(request);
}

}  // namespace

Result<Request> parse_request(const Value& json, Time now) {
  Request request;
  FieldReader reader(json);
  read_input(reader, request);
  if (auto read = read_fields(reader, now, request); !read) return fail(read.error());
  return request;
}

Result<void> set_fields(const Value& json, Time now, Request& request) {
  FieldReader reader(json);
  return read_fields(reader, now, request);
}

Result<Request> parse_render_request(const Value& json) {
  Request request;
  FieldReader reader(json);
  read_input(reader, request);
  if (auto fields = reader.finish(); !fields) return fail(fields.error());
  return request;
}

Result<Request> parse_openai_batch_line(const Value& json, Time now) {
  FieldReader reader(json);
  std::string id, method = "POST", url;
  reader.text("custom_id", id);
  reader.text("method", method);
  reader.text("url", url);
  const auto* body = reader.any("body");
  if (auto fields = reader.finish(); !fields) return fail(fields.error());
  if (!body) return fail(ErrorCode::invalid_argument, "body: found nothing; expected a request");
  auto request = parse_request(*body, now);
  if (!request) return fail_at("body", request.error());
  request->client_id = std::move(id);
  return request;
}

}  // namespace troupe
