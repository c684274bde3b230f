#pragma once
#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

/// What kind of failure an Error is; decides who is told (the caller, the operator, the
/// supervisor).
enum class ErrorCode : std::uint8_t {
  invalid_argument = 1,  // the caller's input is wrong
  not_found,             // a file, key, plugin or model that was named is absent
  incompatible,          // versions, formats or shapes that do not fit together
  resource_exhausted,    // a queue, pool or limit is full; trying later may help
  unsupported,           // understood, but this build or device cannot do it
  cancelled,             // the client took the request back
  deadline,              // the time allowed ran out
  device,                // an accelerator or the operating system failed
  comm,                  // a peer process or host failed
  internal,              // a broken invariant: a fault of ours or of a plugin
};

/// Name of a code as it appears in messages and on the wire, such as "invalid_argument".
constexpr std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::incompatible:
      return "incompatible";
    case ErrorCode::resource_exhausted:
      return "resource_exhausted";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::deadline:
      return "deadline";
    case ErrorCode::device:
      return "device";
    case ErrorCode::comm:
      return "comm";
    case ErrorCode::internal:
      return "internal";
  }
  return "unknown";
}

/// A failure: its code, and a message that says what was found, what was expected and what to try.
/// Callers add where it happened on the way up: `error.at("pipelines/chat.toml")`.
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }

  /// The whole text: the places from the outermost in, then the message.
  const std::string& message() const { return message_; }

  /// The same error with `place` put in front of its message.
  Error at(std::string_view place) const {
    return Error(code_, std::string(place) + ": " + message_);
  }

  bool operator==(const Error&) const = default;

 private:
  ErrorCode code_;
  std::string message_;
};

/// A value, or the Error that prevented it.
template <class T>
using Result = tl::expected<T, Error>;

/// `return fail(ErrorCode::not_found, "...")` from a function that returns a Result.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error(code, std::move(message)));
}

/// Passes an error on, with the place it passed through put in front.
inline tl::unexpected<Error> fail_at(std::string_view place, const Error& error) {
  return tl::unexpected<Error>(error.at(place));
}

/// Passes an error on unchanged.
inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace troupe
