#include "troupe/actors/door.h"

#include "troupe/actors/messages.h"
#include "troupe/core/sampling_limits.h"

#include <algorithm>
#include <random>

namespace troupe::actors {
namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

/// With best_of, all choices are made as if n were as large, and with scores to rank them by.
std::shared_ptr<BestOf> make_best_of(Request& request) {
  if (request.best_of <= request.n) return nullptr;
  auto best_of = std::make_shared<BestOf>(request.n, request.sampling.logprobs >= 0);
  request.n = request.best_of;
  request.sampling.logprobs = std::max(request.sampling.logprobs, 0);
  return best_of;
}

}  // namespace

Door::Door(std::uint32_t index, std::string name,
           std::shared_ptr<std::atomic<std::uint64_t>> next_id, DoorHooks hooks)
    : index_(index),
      name_(std::move(name)),
      next_id_(std::move(next_id)),
      hooks_(std::move(hooks)),
      refusal_(Error(ErrorCode::cancelled, "the pipeline is not open yet")) {}

void Door::connect(Inlet self, Inlet first, std::vector<caf::actor> schedulers) {
  const std::lock_guard guard(mutex_);
  self_ = std::move(self);
  first_ = std::move(first);
  schedulers_ = std::move(schedulers);
  refusal_.reset();
}

void Door::disconnect() {
  const std::lock_guard guard(mutex_);
  refusal_ = Error(ErrorCode::cancelled, "the pipeline is closed");
  self_ = {};
  first_ = {};
  schedulers_.clear();
}

Result<RequestId> Door::submit(Request request) {
  const std::lock_guard guard(mutex_);
  if (refusal_) return fail(*refusal_);
  if (auto valid = validate_request(request); !valid) return fail(valid.error());
  if (!first_.requests->try_enter())
    return fail(ErrorCode::resource_exhausted,
                "the queue of operator '" + first_.name + "' is full (" +
                    std::to_string(first_.requests->capacity()) + " messages); try again later");
  auto context = std::make_shared<RequestContext>();
  context->id = RequestId{next_id_->fetch_add(1) + 1};
  context->origin = index_;
  context->arrived = hooks_.now();
  const auto id = context->id;
  if (!request.sampling.seed) request.sampling.seed = random_seed();
  live_.emplace(id, Live{context, request.client_id, make_best_of(request)});
  request.context = std::move(context);
  caf::anon_send(first_.actor, RequestMessage{std::make_shared<Request>(std::move(request))});
  return id;
}

void Door::cancel(RequestId request) {
  const std::lock_guard guard(mutex_);
  const auto it = live_.find(request);
  if (it == live_.end()) return;
  if (it->second.context->cancelled.exchange(true)) return;
  for (const auto& scheduler : schedulers_)
    caf::anon_send<caf::message_priority::high>(scheduler, CancelMessage{request});
}

void Door::finished() {
  finished_ = true;
  if (hooks_.on_finished) hooks_.on_finished();
}

void Door::announce(std::string line) {
  if (hooks_.on_announce) hooks_.on_announce(name_, std::move(line));
}

void Door::refuse_new(Error error) {
  const std::lock_guard guard(mutex_);
  refusal_ = std::move(error);
}

std::vector<Door::Live> Door::live() const {
  const std::lock_guard guard(mutex_);
  std::vector<Live> all;
  for (const auto& [id, live] : live_)
    all.push_back(live);
  return all;
}

void Door::cancel_all() {
  for (const auto& request : live())
    cancel(request.context->id);
}

void Door::fail_all(const Error& error) {
  auto events = std::make_shared<std::vector<TokenEvent>>();
  for (const auto& request : live()) {
    TokenEvent event;
    event.context = request.context;
    event.client_id = request.client_id;
    event.finish = FinishReason::error;
    event.error = error;
    event.last = true;
    events->push_back(std::move(event));
  }
  cancel_all();  // nobody waits for them any more
  const std::lock_guard guard(mutex_);
  if (!self_.actor) return;
  self_.events->enter();
  caf::anon_send(self_.actor, EventsMessage{std::move(events)});
}

Door::Acceptance Door::accept(TokenEvent& event) {
  const std::lock_guard guard(mutex_);
  const auto it = live_.find(event.context->id);
  if (it == live_.end() || it->second.ended) return {};
  event.number = it->second.events++;
  it->second.ended = event.last;
  return {true, it->second.best_of};
}

void Door::delivered(const TokenEvent& event) {
  if (!event.last) return;
  const std::lock_guard guard(mutex_);
  live_.erase(event.context->id);
}

std::size_t Door::in_flight() const {
  const std::lock_guard guard(mutex_);
  return live_.size();
}

}  // namespace troupe::actors
