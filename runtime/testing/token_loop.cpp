#include "troupe/testing/token_loop.h"

namespace troupe::testing {

bool TokenLoop::turn(Time now, Time completed, EventSink& events) {
  scheduler_.want(now, request_);
  cache_.reserve(request_, grant_);
  scheduler_.plan(grant_, now, plan_, events);
  if (plan_.empty()) return false;
  executor_.submit(plan_, [&](const StepResult& result) {
    sampled_.step = plan_.step;
    sampled_.tokens.clear();
    if (!result.error)
      sampler_.sample({plan_.step, result.logits, plan_.samples, executor_.info().vocab_size},
                      sampled_);
    scheduler_.complete(result, sampled_, completed, events);
  });
  return true;
}

}  // namespace troupe::testing
