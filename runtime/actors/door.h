#pragma once
#include "troupe/actors/outlets.h"
#include "troupe/api/ingress.h"
#include "troupe/core/best_of.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

/// What all doors of a runtime share.
struct DoorHooks {
  std::function<void(const std::string& door, std::string line)> on_announce;
  std::function<void()> on_finished;
  std::function<Time()> now = &std::chrono::steady_clock::now;
};

/// The inside of one door: gives requests their identity, keeps the list of those under way, and
/// sees to it that each gets exactly one terminal event. Any thread.
class Door final : public RequestSink {
 public:
  Door(std::uint32_t index, std::string name, std::shared_ptr<std::atomic<std::uint64_t>> next_id,
       DoorHooks hooks);

  /// Where requests go, and the schedulers that must hear of a cancellation.
  void connect(Inlet self, Inlet first, std::vector<caf::actor> schedulers);
  /// Drops the handles; later submissions are refused.
  void disconnect();

  Result<RequestId> submit(Request request) override;
  void cancel(RequestId request) override;
  void finished() override;
  void announce(std::string line) override;

  /// From now on submissions are refused with that error.
  void refuse_new(Error error);
  void cancel_all();
  /// Ends every request under way with `error`.
  void fail_all(const Error& error);

  /// What is to be done with an event.
  struct Acceptance {
    /// It concerns a client: its request is under way, and no terminal event came before.
    bool accepted = false;
    /// Takes the event, when only the best choices go to the client. To be used by one thread.
    std::shared_ptr<BestOf> best_of;
  };
  /// Gives an accepted event its number: not every operator that ends a request knows how many
  /// events came before.
  Acceptance accept(TokenEvent& event);
  /// Tells that an accepted event was delivered; with a terminal one the request is no longer under
  /// way.
  void delivered(const TokenEvent& event);

  const std::string& name() const { return name_; }
  std::size_t in_flight() const;
  bool is_finished() const { return finished_; }

 private:
  struct Live {
    std::shared_ptr<RequestContext> context;
    std::string client_id;
    std::shared_ptr<BestOf> best_of;
    std::uint64_t events = 0;  // accepted so far
    bool ended = false;        // its terminal event is being delivered
  };
  std::vector<Live> live() const;

  const std::uint32_t index_;
  const std::string name_;
  const std::shared_ptr<std::atomic<std::uint64_t>> next_id_;
  const DoorHooks hooks_;
  std::atomic<bool> finished_{false};

  mutable std::mutex mutex_;
  std::optional<Error> refusal_;
  Inlet self_;
  Inlet first_;
  std::vector<caf::actor> schedulers_;
  std::unordered_map<RequestId, Live> live_;
};

}  // namespace troupe::actors
