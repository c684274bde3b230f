// The door for the program that hosts the runtime: requests come in by a call, events go out by a
// callback.
#include "troupe/api/plugin.h"

#include <mutex>
#include <unordered_map>

namespace {

using namespace troupe;

class Embed final : public Ingress, public EmbedDoor {
 public:
  Result<void> open(RequestSink& sink) override {
    const std::lock_guard guard(mutex_);
    sink_ = &sink;
    return {};
  }

  void stop() noexcept override {
    const std::lock_guard guard(mutex_);
    sink_ = nullptr;
  }

  Result<RequestId> submit(Request request, OnEvent on_event) override {
    // Under the lock, so that no event can come before its callback is known.
    const std::lock_guard guard(mutex_);
    if (!sink_) return fail(ErrorCode::cancelled, "the pipeline is closed");
    auto id = sink_->submit(std::move(request));
    if (id) callbacks_.emplace(*id, std::move(on_event));
    return id;
  }

  void cancel(RequestId request) override {
    const std::lock_guard guard(mutex_);
    if (sink_) sink_->cancel(request);
  }

  void deliver(const TokenEvent& event) override {
    OnEvent on_event;
    {
      const std::lock_guard guard(mutex_);
      const auto it = callbacks_.find(event.context->id);
      if (it == callbacks_.end()) return;
      if (event.last) {
        on_event = std::move(it->second);
        callbacks_.erase(it);
      } else {
        on_event = it->second;
      }
    }
    // Without the lock: the callback may submit and cancel.
    on_event(event);
  }

 private:
  std::mutex mutex_;
  RequestSink* sink_ = nullptr;
  std::unordered_map<RequestId, OnEvent> callbacks_;
};

constexpr OperatorSpec kSpec = make_operator<Embed, OperatorKind::ingress>(
    "embed", "door for the hosting program: submit by a call, events by a callback", "", {},
    {.deterministic = true, .threads = ThreadRule::any_thread});

}  // namespace

TROUPE_PLUGIN(ingress, embed, kSpec)
