#pragma once
#include "scenario.h"
#include "troupe/api/event.h"
#include "troupe/api/sampler.h"
#include "troupe/api/scheduler.h"
#include "truth.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace troupe::simulation {

/// Stands where the clients are: takes every event and compares it with the truth.
class Clients : public EventSink {
 public:
  Clients(const ExecutorInfo& info, const Sampler& sampler) : info_(info), sampler_(sampler) {}

  void sent(const Arrival& arrival);
  void emit(TokenEvent event) override;

  /// The first thing that was wrong; empty = nothing.
  const std::string& fault() const { return fault_; }
  bool all_ended() const { return open_ == 0; }
  const std::vector<TokenEvent>& events() const { return events_; }
  std::map<std::string, std::int64_t> ends;

 private:
  struct Choice {
    Answer truth;
    std::string text;
    std::size_t num_ids = 0;
    FinishReason finish = FinishReason::none;
  };
  struct Client {
    const Arrival* arrival = nullptr;
    std::vector<Choice> choices;
    std::uint64_t next_number = 0;
    bool ended = false;
  };

  void check_choice(Client& client, const TokenEvent& event);
  void check_end(Client& client, const TokenEvent& event);
  void wrong(const TokenEvent& event, const std::string& what);

  const ExecutorInfo& info_;
  const Sampler& sampler_;
  std::map<RequestId, Client> clients_;
  std::int64_t open_ = 0;
  std::string fault_;
  std::vector<TokenEvent> events_;
};

}  // namespace troupe::simulation
