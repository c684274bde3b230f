#pragma once
#include "troupe/api/result.h"
#include "troupe/api/value.h"
#include "troupe/model/jinja/render.h"

namespace troupe::model::jinja {

/// A value of the request as a variable; all its strings are untrusted.
/// Errors: invalid_argument for nesting deeper than 100 levels, and the limits.
Result<Var> from_request(Render& render, const troupe::Value& value);
/// The messages of a request. As from_request, but a role that every client may choose is trusted:
/// templates write control tokens such as <|user|> with it.
Result<Var> messages_from_request(Render& render, const troupe::Value& messages);

}  // namespace troupe::model::jinja
