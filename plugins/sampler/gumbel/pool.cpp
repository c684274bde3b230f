#include "pool.h"

#include "fixed_math.h"
#include "selection.h"

#include <algorithm>
#include <limits>
#include <string>

namespace troupe::gumbel {

void Pool::open(std::span<const float> row) {
  ids_.resize(row.size());
  logits_.resize(row.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    ids_[size] = static_cast<TokenId>(i);
    logits_[size] = row[i];
    size += row[i] > -std::numeric_limits<float>::infinity() ? 1 : 0;
  }
  temperature_ = 1;
  cut(size);
}

void Pool::open_largest(std::span<const float> row, std::size_t count) {
  select_largest(row, count, largest_);
  std::sort(largest_.begin(), largest_.end(),
            [](const Candidate& a, const Candidate& b) { return a.token < b.token; });
  ids_.clear();
  logits_.clear();
  for (const auto& candidate : largest_) {
    ids_.push_back(candidate.token);
    logits_.push_back(candidate.logit);
  }
  temperature_ = 1;
  cut(ids_.size());
}

Result<void> Pool::refresh(std::span<const float> row) {
  std::size_t size = 0;
  for (const TokenId id : ids_) {
    const float logit = row[static_cast<std::size_t>(id)];
    if (!(logit <= std::numeric_limits<float>::max()))
      return fail(ErrorCode::invalid_argument,
                  "the logit of token " + std::to_string(id) + " is " + std::to_string(logit));
    ids_[size] = id;
    logits_[size] = logit;
    size += logit > -std::numeric_limits<float>::infinity() ? 1 : 0;
  }
  if (size == 0)
    return fail(ErrorCode::invalid_argument,
                "no token can be drawn: every logit that the filters left is -inf");
  cut(size);
  return {};
}

void Pool::cut(std::size_t size) {
  ids_.resize(size);
  logits_.resize(size);
  max_ = *std::max_element(logits_.begin(), logits_.end());
}

double Pool::weigh() {
  const std::size_t size = ids_.size();
  weights_.resize(size);
  double total = 0;
  std::size_t i = 0;
  for (; i + kFloats <= size; i += kFloats) {
    const Floats weight = fixed_exp((load(&logits_[i]) - max_) / temperature_);
    std::memcpy(&weights_[i], &weight, sizeof weight);
    total += static_cast<double>((weight[0] + weight[1]) + (weight[2] + weight[3]));
  }
  for (; i < size; ++i) {
    weights_[i] = fixed_exp(y(i));
    total += static_cast<double>(weights_[i]);
  }
  return total;
}

double Pool::mean_y(double total) const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i)
    // Where the weight is 0, y may be -infinity.
    if (weights_[i] > 0) sum += static_cast<double>(weights_[i]) * static_cast<double>(y(i));
  return sum / total;
}

}  // namespace troupe::gumbel
