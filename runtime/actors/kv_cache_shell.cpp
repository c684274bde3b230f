#include "troupe/actors/kv_cache_shell.h"

namespace troupe::actors {

caf::behavior KvCacheShell::make_behavior() {
  return with_common({
      [this](const ReserveMessage& message) { on_reserve(message.step); },
      [this](const ResetMessage&) {
        if (gone()) return;
        if (auto reset = guarded([&] { host().as<KvCache>().reset(); }); !reset)
          lost(reset.error());
      },
  });
}

void KvCacheShell::on_reserve(const StepStatePtr& step) {
  if (gone()) return;
  auto done = guarded([&] {
    auto& cache = host().as<KvCache>();
    cache.reserve(step->blocks, step->grant);
#ifndef NDEBUG
    if (auto books = cache.check(); !books) throw CheckFailure(books.error().message());
#endif
  });
  if (!done) return lost(done.error());
  send(outlets().scheduler.actor, GrantMessage{step});
}

void KvCacheShell::lost(const Error& cause) {
  auto recovered = recover(cause);
  send(outlets().scheduler.actor,
       LoopLostMessage{recovered ? std::nullopt : std::optional<Error>(recovered.error())});
}

Value KvCacheShell::stats() {
  Value stats = Shell::stats();
  if (gone()) return stats;
  const auto cache = host().as<KvCache>().stats();
  stats.set("blocks_total", cache.blocks_total);
  stats.set("blocks_free", cache.blocks_free);
  stats.set("blocks_used", cache.blocks_used);
  stats.set("blocks_cached", cache.blocks_cached);
  stats.set("hits", cache.hits);
  stats.set("cached_tokens", cache.cached_tokens);
  stats.set("evictions", cache.evictions);
  return stats;
}

}  // namespace troupe::actors
