#pragma once
#include "troupe/actors/shell.h"
#include "troupe/api/tokenizer.h"

#include <map>
#include <utility>

namespace troupe::actors {

/// Owns a tokenizer. Prompts become ids in a second actor beside it, so that a long prompt never
/// holds up the text of requests that are already running; ids become text here.
class TokenizerShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;
  void on_exit() override;

 private:
  void on_events(std::vector<TokenEvent> events);
  void add_text(TokenEvent& event);

  caf::actor encoder_;
  std::map<std::pair<RequestId, std::int32_t>, DecodeState> decoding_;  // by request and choice
};

/// Turns prompts into ids for a TokenizerShell. A const use of the same object.
class EncoderActor final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_request(std::shared_ptr<Request> request);
  Result<std::vector<TokenId>> prompt_ids(const Request& request);
};

}  // namespace troupe::actors
