// How well pairs of values go together, -1..1; not a number when one side is constant or there are fewer than two
// pairs. The order of the pairs does not matter.
#pragma once
#include <utility>
#include <vector>

namespace lpot {

using Pairs = std::vector<std::pair<double, double>>;

double pearson(Pairs);
double spearman(const Pairs&);  // Pearson's of the ranks; equal values share the mean of their ranks

}  // namespace lpot
