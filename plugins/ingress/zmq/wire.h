#pragma once
#include "troupe/api/request.h"
#include "troupe/api/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::zmq_door {

/// First frame of every message, both ways. A client of another version is told so.
inline constexpr std::string_view kProtocol = "troupe/1";

/// What a client's message asks for.
struct Incoming {
  enum class Kind { request, cancel };
  Kind kind = Kind::request;
  std::string id;
  std::optional<Request> request;
};

/// A message that is no valid one; `id` is the request's, as far as it could be read.
struct Malformed {
  std::string id;
  Error error;
};

/// Reads the frames of a message (without the sender's identity).
tl::expected<Incoming, Malformed> read_message(const std::vector<std::string_view>& frames,
                                               Time now);

/// An error whose message is at most about 500 bytes: what a client wrote may stand in it, and
/// comes back no longer than that.
Error short_error(const Error& error);

/// The terminal event of a request that was never accepted.
Value refusal(std::string_view id, const Error& error, double retry_after_ms = 0);

}  // namespace troupe::zmq_door
