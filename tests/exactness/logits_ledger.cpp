#include "logits_ledger.h"

#include "troupe/api/sampler.h"

#include <thread>

namespace troupe::exactness {
namespace {

std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

class RecordingSampler final : public Sampler {
 public:
  RecordingSampler(std::shared_ptr<Operator> inner, LogitsLedger& ledger)
      : owner_(std::move(inner)), inner_(dynamic_cast<Sampler&>(*owner_)), ledger_(ledger) {}

  Result<void> configure(const Params& params) override { return inner_.configure(params); }
  Result<void> start(Resources& resources) override { return inner_.start(resources); }
  void stop() noexcept override { inner_.stop(); }

  void sample(const SampleBatch& batch, SampledTokens& out) const override {
    std::this_thread::sleep_for(ledger_.pace.load());
    for (const auto& row : batch.rows)
      ledger_.enter(row.history, batch.logits.row(row.row));
    inner_.sample(batch, out);
  }

 private:
  std::shared_ptr<Operator> owner_;
  Sampler& inner_;
  LogitsLedger& ledger_;
};

}  // namespace

void LogitsLedger::enter(std::span<const TokenId> history, std::span<const float> row) {
  const auto key = hash_bytes(std::as_bytes(history));
  const auto bits = hash_bytes(std::as_bytes(row));
  const std::lock_guard guard(mutex_);
  const auto [entry, is_new] = rows_.emplace(key, bits);
  if (is_new) return;
  ++compared_;
  if (entry->second != bits) ++differing_;
}

Result<std::shared_ptr<Operator>> RecordingCatalog::create(OperatorKind kind,
                                                           std::string_view name) const {
  auto object = catalog_.create(kind, name);
  if (!object || kind != OperatorKind::sampler) return object;
  return std::make_shared<RecordingSampler>(std::move(*object), ledger_);
}

}  // namespace troupe::exactness
