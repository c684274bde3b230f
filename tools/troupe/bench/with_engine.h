#pragma once
#include "bench/prompts.h"
#include "command.h"
#include "troupe/engine/engine.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::program {

/// Opens the caller's pipeline with `settings` (as --set takes them; the caller's own go before
/// them), lets it answer one short request to fill the processor's caches, and calls `measure`.
/// `title` is shown as progress. Errors: those of the pipeline, of the engine and of `measure`.
Result<Value> with_engine(const PipelineOptions& pipeline, const std::vector<std::string>& settings,
                          const std::string& title,
                          const std::function<Result<Value>(Engine&, Prompts&)>& measure);

/// A numeric option of a bench and what it may be.
struct CheckedNumber {
  std::string_view option;
  std::int64_t value;
  std::int64_t most = 100000;
  std::int64_t least = 1;
};

/// Errors: invalid_argument, naming the first option that is out of its range.
Result<void> check_numbers(const std::vector<CheckedNumber>& numbers);

}  // namespace troupe::program
