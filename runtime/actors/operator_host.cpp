#include "troupe/actors/operator_host.h"

namespace troupe::actors {

Result<void> OperatorHost::start() {
  auto built = guarded([&] { return build_(); });
  if (!built) return fail_at(name_, built.error());
  if (!*built) return fail_at(name_, built->error());
  object_ = std::move(**built);
  return {};
}

void OperatorHost::stop() noexcept {
  if (!object_) return;
  object_->stop();
  object_.reset();
}

Result<void> OperatorHost::restart(const Error& cause, Time now) {
  stop();
  if (!budget_.take(now)) {
    const auto& spec = budget_.spec();
    return fail(ErrorCode::internal, name_ + ": stopped after " + std::to_string(spec.max) +
                                         " restarts within " + std::to_string(spec.window_s) +
                                         " s; the last failure was: " + cause.message());
  }
  ++restarts_;
  return start();
}

}  // namespace troupe::actors
