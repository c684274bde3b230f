#pragma once
#include <vector>

namespace troupe::pipeline {

/// The values nearest to `wanted` (weighted least squares) that keep their order and a distance:
/// value[i + 1] - value[i] >= distance[i]. By isotonic regression, pooling adjacent violators.
/// Pre: as many weights, all positive, as values wanted; one distance less.
std::vector<double> spread(const std::vector<double>& wanted, const std::vector<double>& weight,
                           const std::vector<double>& distance);

}  // namespace troupe::pipeline
