#pragma once
#include "troupe/api/event.h"
#include "troupe/api/sampler.h"
#include "troupe/api/tokenizer.h"
#include "truth.h"
#include "world.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::simulation {

/// What the stage of the simulation answers in place of the model.
inline constexpr std::string_view kReply = "a fixed reply";

/// Stands where the clients are: compares every event that reaches the door with the truth.
class Clients {
 public:
  Clients(World& world, const Sampler& sampler) : world_(world), sampler_(sampler) {}

  /// A request that the door took in.
  void sent(RequestId id, const TokenizedRequest& request);
  /// Its client took it back, or may have.
  void cancelled(RequestId id) { clients_[id].cancelled = true; }
  void all_cancelled();
  void on_event(const TokenEvent& event, Time now);

  std::int64_t num_open() const { return open_; }
  /// Requests that somebody still holds, though they ended.
  std::int64_t num_remembered() const;
  /// A request that has not ended; the n-th of them, if there are so many.
  std::optional<RequestId> open(std::int64_t n) const;
  const TokenizedRequest* find(RequestId id) const;

  std::map<std::string, std::int64_t> ends;  // by finish reason or error code

 private:
  struct Choice {
    Answer truth;
    std::string text;
    std::size_t num_ids = 0;
    FinishReason finish = FinishReason::none;
  };
  struct Client {
    const TokenizedRequest* request = nullptr;
    std::vector<Choice> choices;            // none: the request cannot be served
    std::vector<TokenScore> prompt_scores;  // the truth; none: it does not ask for them
    bool has_prompt_scores = false;         // they came
    std::weak_ptr<RequestContext> context;
    std::uint64_t next_number = 0;
    bool cancelled = false;
    bool ended = false;
  };

  void check_prompt_scores(Client& client, const TokenEvent& event);
  void check_tokens(Client& client, const TokenEvent& event);
  void check_token(const Choice& choice, const TokenEvent& event, std::size_t i);
  void check_end(Client& client, const TokenEvent& event, Time now);
  void check_whole(const Client& client, const TokenEvent& event);
  bool may_end_with(const Client& client, const Error& error, Time now);
  void wrong(const TokenEvent& event, const std::string& what);

  World& world_;
  const Sampler& sampler_;
  std::map<RequestId, Client> clients_;
  std::int64_t open_ = 0;
};

}  // namespace troupe::simulation
