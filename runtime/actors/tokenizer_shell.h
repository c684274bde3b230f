#pragma once
#include "troupe/actors/shell.h"
#include "troupe/api/tokenizer.h"

#include <map>
#include <utility>

namespace troupe::actors {

/// Owns a tokenizer: turns ids into text. Prompts become ids in an actor of their own, so that a
/// long one never holds up the text of requests that are already running.
class TokenizerShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_events(std::vector<TokenEvent> events);
  void add_text(TokenEvent& event);
  void forget(RequestId request);
  Value stats() override;

  std::map<std::pair<RequestId, std::int32_t>, DecodeState> decoding_;  // by request and choice
};

/// Turns prompts into ids with the object of a TokenizerShell, in a const way, and never restarts
/// it.
class EncoderShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_request(std::shared_ptr<Request> request);
  Result<std::shared_ptr<TokenizedRequest>> encode(const std::shared_ptr<Request>& request);
  Result<std::vector<TokenId>> prompt_ids(const Request& request);
};

}  // namespace troupe::actors
