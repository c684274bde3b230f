#pragma once
#include "troupe/api/step.h"
#include "troupe/plugin/catalog.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace troupe::exactness {

/// The bits of every row of logits ever seen, by the tokens that the row follows.
class LogitsLedger {
 public:
  /// Compares a row with the one seen after the same tokens before, if any.
  void enter(std::span<const TokenId> history, std::span<const float> row);

  /// How long every step is to take at least, so that what somebody sends in the middle of an
  /// answer comes before its end.
  std::atomic<std::chrono::microseconds> pace{std::chrono::microseconds(0)};

  std::int64_t compared() const { return compared_; }  // rows that had been seen before
  std::int64_t differing() const { return differing_; }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> rows_;  // hash of the tokens: hash of the row
  std::int64_t compared_ = 0;
  std::int64_t differing_ = 0;
};

/// A catalog whose samplers enter the rows they are given into a ledger; all else is as in the
/// catalog behind it. Both must outlive the operators it creates.
class RecordingCatalog final : public Catalog {
 public:
  RecordingCatalog(const Catalog& catalog, LogitsLedger& ledger)
      : catalog_(catalog), ledger_(ledger) {}

  Result<const OperatorSpec*> find(OperatorKind kind, std::string_view name) const override {
    return catalog_.find(kind, name);
  }
  std::vector<std::string> names(OperatorKind kind) const override { return catalog_.names(kind); }
  Result<std::shared_ptr<Operator>> create(OperatorKind kind, std::string_view name) const override;

 private:
  const Catalog& catalog_;
  LogitsLedger& ledger_;
};

}  // namespace troupe::exactness
