#include "troupe/pipeline/print_spec.h"

namespace troupe::pipeline {
namespace {

Value operator_value(const PipelineOperator& op) {
  return Value(
      Value::Object{{"name", Value(op.name)},
                    {"kind", Value(to_string(op.kind))},
                    {"plugin", Value(op.plugin)},
                    {"params", Value(op.params.values())},
                    {"instances", Value(op.instances)},
                    {"mailbox", Value(op.mailbox)},
                    {"placement", Value(op.placement)},
                    {"restart", Value(Value::Object{{"policy", Value(to_string(op.restart.policy))},
                                                    {"max", Value(op.restart.max)},
                                                    {"window_s", Value(op.restart.window_s)}})}});
}

Value wire_value(const PipelineSpec& spec, const Wire& wire) {
  return Value(Value::Object{{"from", Value(spec.operators[wire.from.op].name)},
                             {"output", Value(wire.from.port)},
                             {"to", Value(spec.operators[wire.to.op].name)},
                             {"input", Value(wire.to.port)},
                             {"message", Value(to_string(wire.message))}});
}

Value loop_value(const PipelineSpec& spec, const TokenLoop& loop) {
  const auto name = [&](std::size_t op) { return Value(spec.operators[op].name); };
  return Value(Value::Object{{"scheduler", name(loop.scheduler)},
                             {"kv_cache", name(loop.kv_cache)},
                             {"executor", name(loop.executor)},
                             {"sampler", name(loop.sampler)},
                             {"drafter", loop.drafter ? name(*loop.drafter) : Value()}});
}

}  // namespace

Value print_value(const PipelineSpec& spec) {
  Value::Array operators, wires, models, loops;
  for (const auto& op : spec.operators)
    operators.push_back(operator_value(op));
  for (const auto& wire : spec.wires)
    wires.push_back(wire_value(spec, wire));
  for (const auto& model : spec.models)
    models.push_back(Value(
        Value::Object{{"name", Value(model.name)}, {"params", Value(model.params.values())}}));
  for (const auto& loop : spec.loops)
    loops.push_back(loop_value(spec, loop));
  return Value(Value::Object{{"name", Value(spec.name)},
                             {"description", Value(spec.description)},
                             {"source", Value(spec.source)},
                             {"operators", Value(std::move(operators))},
                             {"wires", Value(std::move(wires))},
                             {"models", Value(std::move(models))},
                             {"loops", Value(std::move(loops))}});
}

}  // namespace troupe::pipeline
