// One line: by what this router chooses.
#include "troupe/api/plugin.h"

#include <algorithm>

namespace {

using namespace troupe;

class @Name@ final : public Router {
 public:
  /// The operator with the fewest requests under way; the first of several.
  Result<std::size_t> choose(const Request&, std::span<const ReplicaState> replicas) override {
    const auto least =
        std::min_element(replicas.begin(), replicas.end(),
                         [](const auto& a, const auto& b) { return a.in_flight < b.in_flight; });
    if (least == replicas.end())
      return fail(ErrorCode::not_found, "there is no operator to choose from");
    return static_cast<std::size_t>(least - replicas.begin());
  }
};

constexpr OperatorSpec kSpec = make_operator<@Name@, OperatorKind::router>(
    "@name@", "one line for `troupe inspect`", "", {}, {.stateless = true});

}  // namespace

TROUPE_PLUGIN(router, @name@, kSpec)
