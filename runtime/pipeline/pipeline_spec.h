#pragma once
#include "troupe/api/operator.h"
#include "troupe/api/params.h"
#include "troupe/api/ports.h"
#include "troupe/api/value.h"
#include "troupe/pipeline/source_location.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::pipeline {

/// What the supervisor does when an operator fails.
enum class RestartPolicy : std::uint8_t { never, always };

constexpr std::string_view to_string(RestartPolicy policy) {
  return policy == RestartPolicy::never ? "never" : "always";
}

/// At most `max` restarts within `window_s` seconds; one more failure is passed on upwards.
struct RestartSpec {
  RestartPolicy policy = RestartPolicy::always;
  std::int64_t max = 3;
  std::int64_t window_s = 60;
  bool operator==(const RestartSpec&) const = default;
};

/// One operator of a pipeline: what it is, and everything it is started with.
struct PipelineOperator {
  std::string name;  // unique in the pipeline
  OperatorKind kind{};
  std::string plugin;
  Params params;                    // complete and within the plugin's ranges
  std::int64_t instances = 1;       // more than one only of stateless operators
  std::int64_t mailbox = 1024;      // messages that may wait; the sender is refused beyond that
  std::string placement = "local";  // "local" = a thread of this process; there is no other yet
  RestartSpec restart;
  SourceLocation where;  // of its table
};

/// A port of one of the pipeline's operators.
struct PortRef {
  std::size_t op = 0;  // index into PipelineSpec::operators
  std::string port;    // a name of the plugin's OperatorSpec::ports
  bool operator==(const PortRef&) const = default;
};

/// A wire: from an output to an input of the same message type.
struct Wire {
  PortRef from;
  PortRef to;
  MessageType message{};
  SourceLocation where;  // of its arrow in `flow`
};

/// A [model.NAME] table. Its parameters are those of model_params(): path, activations,
/// kv_precision, context. `path` is absolute, or empty: then whoever opens the pipeline must ask
/// for one.
struct ModelTable {
  std::string name;
  Params params;
  SourceLocation where;
};

/// A scheduler and the operators that belong to it alone; indices into PipelineSpec::operators.
struct TokenLoop {
  std::size_t scheduler = 0;
  std::size_t kv_cache = 0;
  std::size_t executor = 0;
  std::size_t sampler = 0;
  std::optional<std::size_t> drafter;
  bool operator==(const TokenLoop&) const = default;
};

/// A value that some layer gave to a key.
struct Setting {
  Value value;
  SourceLocation where;
  std::string layer;  // "default", "pipeline", "config", "environment" or "flag"
};

/// One key of the resolved configuration and everything there is to say about it.
struct ResolvedKey {
  std::string key;               // as short as it can be typed: "scheduler.max_batch_tokens"
  std::vector<Setting> history;  // from the weakest to the strongest; the last one holds
  std::string type;              // "integer", "boolean", "number", "text" or "list of text"
  std::string unit;              // may be empty
  std::string range;             // "1 to 65536", "cpu | cuda"; empty = any
  std::string default_value;     // as TOML; empty = required
  std::string help;

  const Setting& current() const { return history.back(); }
};

/// A pipeline that has been checked as a whole: every operator, parameter and wire is valid, every
/// request finds its way back. A plain value: nothing was loaded or started to make it, and it is
/// all that the rest of the runtime sees of a pipeline.
struct PipelineSpec {
  std::string name;
  std::string description;
  std::string source;                       // path of the file it was read from
  std::vector<PipelineOperator> operators;  // in the order of the file
  std::vector<Wire> wires;                  // in the order of `flow`
  std::vector<ModelTable> models;           // in the order of the file
  std::vector<TokenLoop> loops;             // one per scheduler
  std::vector<ResolvedKey> keys;            // in the order of operators, then models

  /// The operator of that name; nullptr when there is none.
  const PipelineOperator* find_operator(std::string_view operator_name) const {
    for (const auto& op : operators)
      if (op.name == operator_name) return &op;
    return nullptr;
  }
  /// The [model.NAME] table; nullptr when there is none.
  const ModelTable* find_model(std::string_view model_name) const {
    for (const auto& model : models)
      if (model.name == model_name) return &model;
    return nullptr;
  }
};

}  // namespace troupe::pipeline
