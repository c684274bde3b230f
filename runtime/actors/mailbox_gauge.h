#pragma once
#include <atomic>
#include <cstdint>

namespace troupe::actors {

/// Counts what waits in one operator's mailbox, which CAF does not bound. Senders ask before they
/// send; when there is no room they refuse the request instead of queueing it. Any thread.
class MailboxGauge {
 public:
  explicit MailboxGauge(std::int64_t capacity) : capacity_(capacity) {}

  /// Takes a place, or tells that there is none.
  bool try_enter() {
    if (depth_.fetch_add(1, std::memory_order_relaxed) < capacity_) return true;
    depth_.fetch_sub(1, std::memory_order_relaxed);
    refused_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  /// Takes a place for something that must not be refused (events); is_full then holds the sender
  /// back.
  void enter() { depth_.fetch_add(1, std::memory_order_relaxed); }
  void leave() { depth_.fetch_sub(1, std::memory_order_relaxed); }

  bool is_full() const { return depth() >= capacity_; }
  std::int64_t depth() const { return depth_.load(std::memory_order_relaxed); }
  std::int64_t capacity() const { return capacity_; }
  std::int64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  const std::int64_t capacity_;
  std::atomic<std::int64_t> depth_{0};
  std::atomic<std::int64_t> refused_{0};
};

}  // namespace troupe::actors
