#include "bench/step_clock.h"

#include "bench/figures.h"

#include <algorithm>

namespace troupe::program {
namespace {

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

}  // namespace

std::size_t StepClock::next_execution(std::size_t from) const {
  while (from < marks_.size() && marks_[from].part != StepPart::execute)
    ++from;
  return from;
}

std::vector<std::size_t> StepClock::gap_begins(std::size_t sequences, std::size_t skipped) const {
  const auto counts = [&](const Mark& mark) {
    return mark.sequences == sequences && mark.tokens == sequences;
  };
  std::vector<std::size_t> begins;
  for (auto at = next_execution(0); at < marks_.size();) {
    const auto next = next_execution(at + 1);
    if (next < marks_.size() && counts(marks_[at]) && counts(marks_[next])) begins.push_back(at);
    at = next;
  }
  begins.erase(begins.begin(),
               begins.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, begins.size())));
  return begins;
}

std::vector<double> StepClock::gaps_us(std::size_t sequences, std::size_t skipped) const {
  std::vector<double> gaps;
  for (const auto at : gap_begins(sequences, skipped))
    gaps.push_back(microseconds(marks_[next_execution(at + 1)].begin - marks_[at].end));
  std::ranges::sort(gaps);
  return gaps;
}

StepClock::Shares StepClock::shares(std::size_t sequences, std::size_t skipped) const {
  std::array<std::vector<double>, kNumStepParts> parts, hops;
  for (const auto at : gap_begins(sequences, skipped)) {
    const auto end = next_execution(at + 1);
    for (auto i = at + 1; i <= end; ++i) {
      const auto part = static_cast<std::size_t>(marks_[i].part);
      hops[part].push_back(microseconds(marks_[i].begin - marks_[i - 1].end));
      if (i < end) parts[part].push_back(microseconds(marks_[i].end - marks_[i].begin));
    }
  }
  Shares shares;
  for (std::size_t part = 0; part < kNumStepParts; ++part) {
    shares.part_us[part] = quantile(parts[part], 0.5);
    shares.hop_us[part] = quantile(hops[part], 0.5);
  }
  return shares;
}

}  // namespace troupe::program
