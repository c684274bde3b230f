#include "bench/with_engine.h"

#include "bench/load.h"
#include "open_engine.h"
#include "terminal.h"

namespace troupe::program {

Result<Value> with_engine(const PipelineOptions& pipeline, const std::vector<std::string>& settings,
                          const std::string& title,
                          const std::function<Result<Value>(Engine&, Prompts&)>& measure) {
  auto options = pipeline;
  options.set.insert(options.set.begin(), settings.begin(), settings.end());
  const auto loaded = options.load();
  if (!loaded) return fail(loaded.error());
  auto prompts = Prompts::for_model(loaded->spec);
  if (!prompts) return fail(prompts.error());
  auto engine = open_engine(*loaded);
  if (!engine) return fail(engine.error());
  const ProgressLine progress("measuring " + title);
  auto warm_up = (*engine)->generate(prompts->request(prompts->tokens(64), 16));
  if (!warm_up) return fail(warm_up.error());
  if (warm_up->error) return fail(*warm_up->error);
  auto value = measure(**engine, *prompts);
  if (!value) return fail(value.error());
  if (auto closed = (*engine)->close(std::chrono::milliseconds(0)); !closed)
    return fail(closed.error());
  return value;
}

Result<void> check_numbers(const std::vector<CheckedNumber>& numbers) {
  for (const auto& number : numbers)
    if (number.value < number.least || number.value > number.most)
      return fail(ErrorCode::invalid_argument, std::string(number.option) + ": found " +
                                                   std::to_string(number.value) + "; expected " +
                                                   std::to_string(number.least) + " to " +
                                                   std::to_string(number.most));
  return {};
}

}  // namespace troupe::program
