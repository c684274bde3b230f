#pragma once
#include "troupe/api/executor.h"
#include "troupe/plugin/catalog.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::program {

/// When steps began and ended in an executor.
class StepClock {
 public:
  struct Step {
    std::chrono::steady_clock::time_point begin;
    std::chrono::steady_clock::time_point end;
    std::size_t sequences = 0;
    std::size_t tokens = 0;
  };

  explicit StepClock(std::size_t expected_steps) { steps_.reserve(expected_steps); }
  void add(const Step& step) { steps_.push_back(step); }
  const std::vector<Step>& steps() const { return steps_; }

  /// Microseconds from the end of each step to the beginning of the next, where both gave one token
  /// to each of `sequences` sequences; ascending. The first `skipped` do not count.
  std::vector<double> gaps_us(std::size_t sequences, std::size_t skipped) const;

 private:
  std::vector<Step> steps_;
};

/// A catalog whose executors tell a clock of their steps; all else is as in the catalog behind it.
class TimedCatalog final : public Catalog {
 public:
  /// Both must outlive the operators that this one creates.
  TimedCatalog(const Catalog& catalog, StepClock& clock) : catalog_(catalog), clock_(clock) {}

  Result<const OperatorSpec*> find(OperatorKind kind, std::string_view name) const override {
    return catalog_.find(kind, name);
  }
  std::vector<std::string> names(OperatorKind kind) const override { return catalog_.names(kind); }
  Result<std::shared_ptr<Operator>> create(OperatorKind kind, std::string_view name) const override;

 private:
  const Catalog& catalog_;
  StepClock& clock_;
};

}  // namespace troupe::program
