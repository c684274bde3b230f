#pragma once
#include "troupe/api/operator.h"
#include "troupe/plugin/catalog.h"
#include "world.h"

#include <memory>
#include <string>

namespace troupe::simulation {

/// The operators of a simulated pipeline: the real plugins, each in a wrapper that watches what
/// goes in and comes out, and in which faults happen; a tokenizer, a stage and an executor
/// ("letters", "passing", "fake_a", "fake_b") whose results can be computed without them.
/// Without a world it only describes them.
class FaultyCatalog final : public Catalog {
 public:
  FaultyCatalog(const Catalog& plugins, World* world) : plugins_(plugins), world_(world) {}

  Result<const OperatorSpec*> find(OperatorKind kind, std::string_view name) const override;
  std::vector<std::string> names(OperatorKind kind) const override { return plugins_.names(kind); }
  Result<std::shared_ptr<Operator>> create(OperatorKind kind, std::string_view name) const override;

 private:
  const Catalog& plugins_;
  World* world_;
};

// Each takes the plugin's object; those of the simulation's own need none.
std::shared_ptr<Operator> faulty_door(World& world, std::shared_ptr<Operator> inner);
std::shared_ptr<Operator> faulty_router(World& world, std::shared_ptr<Operator> inner);
std::shared_ptr<Operator> faulty_scheduler(World& world, std::shared_ptr<Operator> inner);
std::shared_ptr<Operator> faulty_cache(World& world, std::shared_ptr<Operator> inner);
std::shared_ptr<Operator> faulty_sampler(World& world, std::shared_ptr<Operator> inner);
std::shared_ptr<Operator> faulty_executor(World& world, std::string_view name);
std::shared_ptr<Operator> faulty_tokenizer(World& world);
std::shared_ptr<Operator> faulty_stage(World& world);

/// The ids that tokenizer "letters" makes of a text: one per byte, never the end-of-generation
/// token.
std::vector<TokenId> letters(std::string_view text, std::int32_t vocab_size);

/// Base of the wrappers: configures, starts and stops the plugin's object.
template <class Kind>
class Faulty : public Kind {
 public:
  Faulty(World& world, const std::shared_ptr<Operator>& inner)
      : world_(world), inner_(std::dynamic_pointer_cast<Kind>(inner)) {
    TROUPE_CHECK(inner_ != nullptr);
  }
  Result<void> configure(const Params& params) override { return inner_->configure(params); }
  Result<void> start(Resources& resources) override {
    // Faults are off while the pipeline starts: this is a restart.
    if (world_.fires(Fault::restart_fails))
      return fail(ErrorCode::internal, world_.plant(World::kAll));
    return inner_->start(resources);
  }
  void stop() noexcept override { inner_->stop(); }

 protected:
  World& world_;
  std::shared_ptr<Kind> inner_;
};

}  // namespace troupe::simulation
