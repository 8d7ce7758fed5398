// Correlation of pairs of values, -1..1. NaN if one side is constant or if there are fewer than two pairs. The order of
// the pairs does not matter.
#pragma once
#include <utility>
#include <vector>

namespace lpot {

using Pairs = std::vector<std::pair<double, double>>;

double pearson(Pairs);
double spearman(const Pairs&);  // Pearson correlation of the ranks; equal values get the mean of their ranks

}  // namespace lpot
