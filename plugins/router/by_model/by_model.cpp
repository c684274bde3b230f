// Sends a request to the operator that serves the model it names.
#include "troupe/api/plugin.h"
#include "troupe/core/nearest_name.h"

#include <map>

namespace {

using namespace troupe;

constexpr ParamSpec kParams[] = {
    {.name = "models",
     .type = ParamType::text_list,
     .default_value = "[]",
     .help = "which operator serves which model, as \"model=operator\"; empty = models are called "
             "as the "
             "operators are"},
    {.name = "default",
     .type = ParamType::text,
     .default_value = "\"\"",
     .help = "model of requests that name none; empty = they are refused"},
};

class ByModel final : public Router {
 public:
  Result<void> configure(const Params& params) override {
    for (const auto& entry : params.get_texts("models")) {
      const auto equals = entry.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size())
        return fail(ErrorCode::invalid_argument,
                    "models: found \"" + entry + "\"; expected \"model=operator\"");
      if (!operators_.emplace(entry.substr(0, equals), entry.substr(equals + 1)).second)
        return fail(ErrorCode::invalid_argument,
                    "models: the model \"" + entry.substr(0, equals) + "\" stands twice");
    }
    default_ = params.get_text("default");
    return {};
  }

  Result<std::size_t> choose(const Request& request,
                             std::span<const ReplicaState> replicas) override {
    const auto& model = request.model.empty() ? default_ : request.model;
    if (model.empty())
      return fail(ErrorCode::invalid_argument,
                  "the request names no model" + suggest("", names(replicas)));
    const auto it = operators_.find(model);
    const std::string_view wanted = it == operators_.end() ? model : it->second;
    if (it != operators_.end() || operators_.empty())
      for (std::size_t i = 0; i < replicas.size(); ++i)
        if (replicas[i].name == wanted) return i;
    return fail(ErrorCode::not_found,
                "there is no model '" + model + "'" + suggest(model, names(replicas)));
  }

 private:
  std::vector<std::string> names(std::span<const ReplicaState> replicas) const {
    std::vector<std::string> names;
    for (const auto& [model, op] : operators_)
      names.push_back(model);
    if (names.empty())
      for (const auto& replica : replicas)
        names.emplace_back(replica.name);
    return names;
  }

  std::map<std::string, std::string> operators_;  // model -> operator
  std::string default_;
};

constexpr OperatorSpec kSpec = make_operator<ByModel, OperatorKind::router>(
    "by_model", "chooses by the request's field `model`", "", kParams, {.stateless = true});

}  // namespace

TROUPE_PLUGIN(router, by_model, kSpec)
