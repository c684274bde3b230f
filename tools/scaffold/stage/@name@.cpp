// One line: what this stage does with requests and events in passing.
#include "troupe/api/plugin.h"

namespace {

using namespace troupe;

constexpr ParamSpec kParams[] = {
    {.name = "longest",
     .type = ParamType::integer,
     .default_value = "100000",
     .help = "prompts with more bytes are refused",
     .unit = "bytes",
     .min = 1,
     .max = 1 << 30},
};

class @Name@ final : public Stage {
 public:
  Result<void> configure(const Params& params) override {
    longest_ = static_cast<std::size_t>(params.get_int("longest"));
    return {};
  }

  /// May change the request, refuse it, or answer in place of the model: see api/stage.h.
  StageVerdict on_request(Request& request) override {
    std::size_t bytes = 0;
    for (const auto& piece : request.prompt)
      bytes += piece.text.size();
    if (bytes > longest_)
      return StageVerdict::refuse(Error(
          ErrorCode::invalid_argument, "the prompt has " + std::to_string(bytes) +
                                           " bytes; expected at most " + std::to_string(longest_)));
    return StageVerdict::pass();
  }

 private:
  std::size_t longest_ = 0;
};

constexpr OperatorSpec kSpec = make_operator<@Name@, OperatorKind::stage>(
    "@name@", "one line for `troupe inspect`", "", kParams, {.stateless = true});

}  // namespace

TROUPE_PLUGIN(stage, @name@, kSpec)
