#include "world.h"

namespace troupe::simulation {

std::string World::plant(std::int64_t most) {
  // The end mark keeps #1 from being found in #12.
  std::string text = "planted fault #" + std::to_string(num_planted_++) + ";";
  excuse(text, most);
  return text;
}

bool World::excuses(const Error& error) {
  const auto has = [&](std::string_view text) {
    return error.message().find(text) != std::string::npos;
  };
  // Once an operator is gone for good, whoever needs it ends with the fault that was its last.
  const bool for_good = has("stopped after");
  for (auto& excuse : excuses_) {
    if (!has(excuse.text)) continue;
    if (for_good) return true;
    if (excuse.most == 0) continue;
    if (excuse.most != kAll) --excuse.most;
    return true;
  }
  return false;
}

}  // namespace troupe::simulation
