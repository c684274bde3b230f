#include "troupe/actors/kv_cache_shell.h"

namespace troupe::actors {
namespace {

/// The books are walked when nothing runs, which may be after each request: not more often than
/// this.
constexpr auto kBetweenChecks = std::chrono::seconds(1);

}  // namespace

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
  // What the request of an abandoned step points to may be gone; a reset follows.
  if (gone() || step->abandoned) return;
  auto done = guarded([&] {
    auto& cache = host().as<KvCache>();
    cache.reserve(step->blocks, step->grant);
#ifndef NDEBUG
    if (auto books = cache.check(); !books) throw CheckFailure(books.error().message());
#endif
  });
  if (!done) return lost(done.error());
  send(outlets().scheduler.actor, GrantMessage{step});
  check_books_when_idle();
}

void KvCacheShell::check_books_when_idle() {
  if (now() - last_check_ < kBetweenChecks) return;
  auto books = guarded([&] {
    auto& cache = host().as<KvCache>();
    if (cache.stats().blocks_used > 0) return;
    last_check_ = now();
    if (auto good = cache.check(); !good) throw CheckFailure(good.error().message());
  });
  if (books) return;
  ++book_failures_;
  lost(books.error());
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
  stats.set("unused_slots", cache.unused_slots);
  stats.set("lookups", cache.lookups);
  stats.set("lookup_tokens", cache.lookup_tokens);
  stats.set("hits", cache.hits);
  stats.set("cached_tokens", cache.cached_tokens);
  stats.set("evictions", cache.evictions);
  stats.set("copied_blocks", cache.copied_blocks);
  stats.set("swap_slots_total", cache.swap_slots_total);
  stats.set("swap_slots_used", cache.swap_slots_used);
  stats.set("swapped_out_blocks", cache.swapped_out_blocks);
  stats.set("swapped_in_blocks", cache.swapped_in_blocks);
  stats.set("book_failures", book_failures_);
  return stats;
}

}  // namespace troupe::actors
