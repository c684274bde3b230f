#include "troupe/engine/single_operators.h"

#include <algorithm>

namespace troupe {
namespace {

/// The operator that sends `message` to `to`; nullopt when none does.
std::optional<std::size_t> sender(const pipeline::PipelineSpec& spec, std::size_t to,
                                  MessageType message) {
  for (const auto& wire : spec.wires)
    if (wire.to.op == to && wire.message == message) return wire.from.op;
  return std::nullopt;
}

}  // namespace

SingleOperators::SingleOperators(const pipeline::PipelineSpec& spec, const Catalog& catalog)
    : spec_(spec),
      catalog_(catalog),
      models_(std::make_shared<actors::ModelStore>(spec.models)),
      executor_info_(std::make_shared<std::optional<ExecutorInfo>>()) {}

SingleOperators::~SingleOperators() {
  while (!started_.empty()) {
    started_.back()->stop();
    started_.pop_back();
  }
}

Result<Operator*> SingleOperators::start(std::size_t op) {
  const auto& planned = spec_.operators[op];
  auto object = catalog_.create(planned.kind, planned.plugin);
  if (!object) return fail_at(planned.name, object.error());
  if (auto configured = (*object)->configure(planned.params); !configured)
    return fail_at(planned.name, configured.error());
  actors::OperatorResources resources(models_, executor_info_);
  if (auto done = (*object)->start(resources); !done) return fail_at(planned.name, done.error());
  started_.push_back(std::move(*object));
  return started_.back().get();
}

template <class Kind>
Result<Kind*> SingleOperators::start_as(std::size_t op) {
  return start(op).map([](Operator* object) { return &dynamic_cast<Kind&>(*object); });
}

Result<std::size_t> SingleOperators::tokenizer_index() const {
  if (!spec_.loops.empty())
    if (const auto op =
            sender(spec_, spec_.loops.front().scheduler, MessageType::tokenized_request))
      return *op;
  return fail(ErrorCode::not_found,
              spec_.source + ": found no scheduler with a tokenizer before it");
}

Result<Tokenizer*> SingleOperators::tokenizer() {
  const auto op = tokenizer_index();
  if (!op) return fail(op.error());
  return start_as<Tokenizer>(*op);
}

Result<Executor*> SingleOperators::executor() {
  if (spec_.loops.empty())
    return fail(ErrorCode::not_found, spec_.source + ": found no token loop with an executor");
  auto executor = start_as<Executor>(spec_.loops.front().executor);
  if (executor) *executor_info_ = (*executor)->info();
  return executor;
}

Result<std::vector<Stage*>> SingleOperators::stages() {
  auto op = tokenizer_index();
  if (!op) return fail(op.error());
  std::vector<std::size_t> way;
  for (auto before = sender(spec_, *op, MessageType::request); before;
       before = sender(spec_, *before, MessageType::request))
    if (spec_.operators[*before].kind == OperatorKind::stage) way.push_back(*before);
  std::vector<Stage*> stages;
  for (auto stage = way.rbegin(); stage != way.rend(); ++stage) {
    auto started = start_as<Stage>(*stage);
    if (!started) return fail(started.error());
    stages.push_back(*started);
  }
  return stages;
}

}  // namespace troupe
