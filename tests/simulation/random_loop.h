#pragma once
#include "dice.h"
#include "troupe/api/executor_info.h"
#include "troupe/api/value.h"

#include <string>

namespace troupe::simulation {

/// A small model, so that every limit is met.
ExecutorInfo random_executor(Dice& dice);

struct RandomScheduler {
  std::string plugin;
  Value::Object params;
};
RandomScheduler random_scheduler(Dice& dice, const ExecutorInfo& executor);

}  // namespace troupe::simulation
