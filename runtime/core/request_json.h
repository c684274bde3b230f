#pragma once
#include "troupe/api/request.h"
#include "troupe/api/result.h"

namespace troupe {

/// A request as clients write it in JSON, on every door:
///   {"id": "1", "prompt": "...", "max_tokens": 64, "temperature": 0, ...}      text, or an array
///   of token ids
///   {"id": "1", "messages": [{"role": "user", "content": "..."}], ...}         chat
/// The fields are those of docs/protocol.md. Absent and null mean the default; every other value is
/// taken as it is or refused, and so is a field that is not known. `now` is what a relative
/// deadline counts from. Errors: invalid_argument, with the field, the value found and the values
/// allowed.
Result<Request> parse_request(const Value& json, Time now);

/// Sets the fields of a request that has its prompt: any that parse_request takes but those of the
/// prompt and the chat template. Errors: as parse_request.
Result<void> set_fields(const Value& json, Time now, Request& request);

/// The part of a request that its prompt is made of: `prompt` or `messages`, and the arguments of
/// the chat template. Errors: as parse_request; every other field is one.
Result<Request> parse_render_request(const Value& json);

/// A line of an OpenAI batch file: {"custom_id", "method", "url", "body"}, body as parse_request
/// takes it. Errors: as parse_request.
Result<Request> parse_openai_batch_line(const Value& json, Time now);

}  // namespace troupe
