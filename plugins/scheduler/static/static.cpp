#include "troupe/api/plugin.h"
#include "troupe/scheduling/batch_scheduler.h"

namespace troupe::static_batching {
namespace {

using scheduling::Policy;
using scheduling::Sequence;

/// Composes a batch of those that wait when nothing runs; nobody joins it later. A member that
/// found no room at the start belongs to a later batch; one that was stopped for want of room comes
/// back into its own.
class WholeBatches final : public Policy {
 public:
  explicit WholeBatches(std::int64_t batch_size) : batch_size_(batch_size) {}

  void begin_turn(const scheduling::TurnView& view) override {
    if (view.num_running > 0) return;
    last_arrival_ = view.last_arrival;
    seats_ = batch_size_;
  }
  bool may_start(const Sequence& first) const override {
    return has_begun(first) || (seats_ > 0 && first.group->arrival <= last_arrival_);
  }
  void started(const Sequence& sequence) override {
    if (!has_begun(sequence)) --seats_;
  }
  void no_room() override { seats_ = 0; }

 private:
  /// As one that was stopped has, and a choice whose sibling computed the prompt for it.
  static bool has_begun(const Sequence& sequence) {
    return sequence.num_charged > 0 || sequence.group->num_output_tokens(sequence) > 0;
  }

  const std::int64_t batch_size_;
  std::int64_t seats_ = 0;
  std::uint64_t last_arrival_ = 0;
};

class StaticScheduler final : public scheduling::BatchScheduler {
 public:
  StaticScheduler() : BatchScheduler("static") {}

 private:
  Result<std::unique_ptr<Policy>> make_policy(const Params&,
                                              const scheduling::Options& options) override {
    return std::make_unique<WholeBatches>(options.max_num_seqs);
  }
};

constexpr OperatorSpec kSpec = make_operator<StaticScheduler, OperatorKind::scheduler>(
    "static", "batches of requests, each begun when the one before has wholly ended: a yardstick",
    "", scheduling::kSharedParams);

}  // namespace
}  // namespace troupe::static_batching

TROUPE_PLUGIN(scheduler, static, troupe::static_batching::kSpec)
