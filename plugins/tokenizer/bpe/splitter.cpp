#include "splitter.h"

namespace troupe::bpe {

Result<Splitter> Splitter::build(const SplitRule& rule) {
  Splitter splitter;
  for (const auto expression : rule.expressions) {
    auto pattern = Pattern::compile(expression);
    if (!pattern) return fail(pattern.error());
    splitter.stages_.push_back(std::move(*pattern));
  }
  return splitter;
}

}  // namespace troupe::bpe
