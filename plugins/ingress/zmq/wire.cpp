#include "wire.h"

#include "troupe/core/event_json.h"
#include "troupe/core/field_reader.h"
#include "troupe/core/json.h"
#include "troupe/core/request_json.h"

namespace troupe::zmq_door {
namespace {

constexpr std::size_t kLongestId = 256;
constexpr std::size_t kLongestMessage = 500;

/// A piece of what a client sent, safe to show: printable ASCII, at most 32 characters.
std::string shown(std::string_view bytes) {
  std::string text;
  for (const char c : bytes.substr(0, 32))
    text += c >= ' ' && c <= '~' ? c : '?';
  return text + (bytes.size() > 32 ? "..." : "");
}

tl::unexpected<Malformed> malformed(std::string message, std::string id = {}) {
  return tl::unexpected<Malformed>(
      {std::move(id), Error(ErrorCode::invalid_argument, std::move(message))});
}

std::string id_of(const Value& json) {
  const auto* id = json.find("id");
  return id && id->is_string() ? id->as_string() : "";
}

/// An id as an answer repeats it: none when it is no valid one.
std::string id_to_repeat(std::string id) {
  return id.size() <= kLongestId ? std::move(id) : "";
}

tl::expected<Incoming, Malformed> read_cancel(const Value& json) {
  Incoming incoming;
  incoming.kind = Incoming::Kind::cancel;
  FieldReader reader(json);
  std::string type;
  reader.text("type", type);
  reader.text("id", incoming.id);
  if (auto fields = reader.finish(); !fields)
    return tl::unexpected<Malformed>({id_to_repeat(incoming.id), fields.error()});
  if (incoming.id.empty())
    return malformed("id: found nothing; expected the id of the request to cancel");
  return incoming;
}

tl::expected<Incoming, Malformed> read_request(Value json, Time now) {
  Incoming incoming;
  incoming.id = id_of(json);
  std::erase_if(json.as_object(), [](const auto& field) { return field.first == "type"; });
  auto request = parse_request(json, now);
  if (!request) return tl::unexpected<Malformed>({id_to_repeat(incoming.id), request.error()});
  if (incoming.id.empty() || incoming.id.size() > kLongestId)
    return malformed("id: found " + std::to_string(incoming.id.size()) + " bytes; expected 1 to " +
                     std::to_string(kLongestId) +
                     ", a name for the request of the client's own choice");
  incoming.request = std::move(*request);
  return incoming;
}

}  // namespace

tl::expected<Incoming, Malformed> read_message(const std::vector<std::string_view>& frames,
                                               Time now) {
  if (frames.size() != 2)
    return malformed("found a message of " + std::to_string(frames.size()) +
                     (frames.size() == 1 ? " frame" : " frames") + "; expected 2: \"" +
                     std::string(kProtocol) + "\" and a JSON object");
  if (frames[0] != kProtocol)
    return malformed("found protocol \"" + shown(frames[0]) + "\"; expected \"" +
                     std::string(kProtocol) + "\"");
  auto json = parse_json(frames[1]);
  if (!json) return malformed(json.error().message());
  if (!json->is_object())
    return malformed("found a JSON " + std::string(json->type_name()) + "; expected an object");
  const auto* type = json->find("type");
  if (!type || (type->is_string() && type->as_string() == "request"))
    return read_request(std::move(*json), now);
  if (type->is_string() && type->as_string() == "cancel") return read_cancel(*json);
  return malformed("type: found " + shown(to_json(*type)) + "; expected \"request\" or \"cancel\"",
                   id_to_repeat(id_of(*json)));
}

Error short_error(const Error& error) {
  const auto& message = error.message();
  if (message.size() <= kLongestMessage) return error;
  auto end = kLongestMessage;
  const auto inside_character = [&] {
    return (static_cast<unsigned char>(message[end]) & 0xC0) == 0x80;
  };
  while (end > 0 && inside_character())
    --end;
  return Error(error.code(), message.substr(0, end) + "...");
}

Value refusal(std::string_view id, const Error& error, double retry_after_ms) {
  Value value;
  if (!id.empty()) value.set("id", id);
  value.set("event", id.empty() ? "error" : "end");
  if (!id.empty()) value.set("finish_reason", to_string(FinishReason::error));
  value.set("error", error_to_json(short_error(error), retry_after_ms));
  return value;
}

}  // namespace troupe::zmq_door
