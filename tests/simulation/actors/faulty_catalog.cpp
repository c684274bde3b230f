#include "faulty_operators.h"
#include "troupe/api/plugin.h"

#include <array>

namespace troupe::simulation {
namespace {

constexpr OperatorSpec describe(OperatorKind kind, std::string_view name) {
  return {kind, name, "of the simulation", "", {}, {}, ports_of(kind), nullptr};
}

constexpr std::array kOwn = {
    describe(OperatorKind::stage, "passing"), describe(OperatorKind::tokenizer, "letters"),
    describe(OperatorKind::executor, "fake_a"), describe(OperatorKind::executor, "fake_b")};

}  // namespace

Result<const OperatorSpec*> FaultyCatalog::find(OperatorKind kind, std::string_view name) const {
  for (const auto& own : kOwn)
    if (own.kind == kind && own.name == name) return &own;
  return plugins_.find(kind, name);
}

Result<std::shared_ptr<Operator>> FaultyCatalog::create(OperatorKind kind,
                                                        std::string_view name) const {
  switch (kind) {
    case OperatorKind::stage:
      return faulty_stage(*world_);
    case OperatorKind::tokenizer:
      return faulty_tokenizer(*world_);
    case OperatorKind::executor:
      return faulty_executor(*world_, name);
    default:
      break;
  }
  auto inner = plugins_.create(kind, name);
  if (!inner) return inner;
  switch (kind) {
    case OperatorKind::ingress:
      return faulty_door(*world_, std::move(*inner));
    case OperatorKind::router:
      return faulty_router(*world_, std::move(*inner));
    case OperatorKind::scheduler:
      return faulty_scheduler(*world_, std::move(*inner));
    case OperatorKind::kv_cache:
      return faulty_cache(*world_, std::move(*inner));
    case OperatorKind::sampler:
      return faulty_sampler(*world_, std::move(*inner));
    default:
      return inner;
  }
}

}  // namespace troupe::simulation
