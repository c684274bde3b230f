#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace troupe::program {

/// What the operators of a token loop do in one step, in this order, from the end of one execution
/// to the beginning of the next.
enum class StepPart : std::uint8_t { execute, sample, complete, want, reserve, plan };

inline constexpr std::size_t kNumStepParts = 6;

/// When the parts of steps began and ended. One thread at a time adds.
class StepClock {
 public:
  struct Mark {
    StepPart part = StepPart::execute;
    std::chrono::steady_clock::time_point begin;
    std::chrono::steady_clock::time_point end;
    std::size_t sequences = 0;  // of an execution
    std::size_t tokens = 0;     // of an execution
  };

  explicit StepClock(std::size_t expected_marks) { marks_.reserve(expected_marks); }
  void add(const Mark& mark) { marks_.push_back(mark); }

  /// Microseconds from the end of each execution to the beginning of the next, where both gave one
  /// token to each of `sequences` sequences; ascending. The first `skipped` do not count.
  std::vector<double> gaps_us(std::size_t sequences, std::size_t skipped) const;

  /// Medians, in microseconds, of what such a gap is made of.
  struct Shares {
    std::array<double, kNumStepParts> part_us{};  // by StepPart; nothing for execute
    /// From the end of the part before to the beginning of each: one message between two actors.
    /// complete and want are one actor's: between them it sends its events.
    std::array<double, kNumStepParts> hop_us{};
  };
  Shares shares(std::size_t sequences, std::size_t skipped) const;

 private:
  /// Where in marks_ a gap begins: executions that count and have another one like it behind them.
  std::vector<std::size_t> gap_begins(std::size_t sequences, std::size_t skipped) const;
  std::size_t next_execution(std::size_t from) const;

  std::vector<Mark> marks_;
};

}  // namespace troupe::program
