// One line: whom this scheduler serves first.
#include "troupe/api/plugin.h"
#include "troupe/scheduling/batch_scheduler.h"

namespace {

using namespace troupe;

constexpr std::array kOwnParams = {
    ParamSpec{.name = "longest_first",
              .type = ParamType::boolean,
              .default_value = "false",
              .help = "serve long prompts before short ones"},
};
constexpr auto kParams = scheduling::join_params(scheduling::kSharedParams, kOwnParams);

/// Shorter prompts first; of equally long ones, the one that arrived first.
class @Name@ final : public scheduling::Policy {
 public:
  explicit @Name@(bool longest_first) : longest_first_(longest_first) {}

  double rank(const scheduling::Group& group) const override {
    const auto length = static_cast<double>(group.num_prompt_tokens());
    return longest_first_ ? -length : length;
  }

 private:
  const bool longest_first_;
};

class @Name@Scheduler final : public scheduling::BatchScheduler {
 public:
  @Name@Scheduler() : BatchScheduler("@name@") {}

 private:
  Result<std::unique_ptr<scheduling::Policy>> make_policy(const Params& params,
                                                          const scheduling::Options&) override {
    return std::make_unique<@Name@>(params.get_bool("longest_first"));
  }
};

constexpr OperatorSpec kSpec = make_operator<@Name@Scheduler, OperatorKind::scheduler>(
    "@name@", "one line for `troupe inspect`", "", kParams);

}  // namespace

TROUPE_PLUGIN(scheduler, @name@, kSpec)
