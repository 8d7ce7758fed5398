// Estimates without labels how many answers of a classifier change, from the margins of its outputs.
//
//   Outputs of_int8, of_fp32;  // for the same samples
//   std::optional<double> share = changed_answers(of_int8, of_fp32);
//
// The answer for a sample is the class with the largest score, and its margin is that score less the second largest.
// Counting the answers that differ on a few samples gives 0 or 1 for most models. So the noise that quantization adds
// to the margins of these samples is applied to all margins: the share of all pairs of a margin and a noise in which
// the noise is larger. A range that clips moves the largest scores far and keeps their margins; the distance of the
// outputs does not see that.
//
// Programs and functions of the user (`accuracy.command`, eval_func) report one number for all data, so `auto` ranks
// plans by this share. `bench_ranking --black-box` validates it: rank correlation (Spearman) with the exact accuracy
// over the whole-model plans of the search space.
//
// |               changed answers   distance of the outputs   accuracies of 160 plans
// | MobileNetV2   0.50              0.36                      68.4 to 72.0
// | quick start   0.35              0.44                      90.9 to 92.2
// | ResNet-20     -0.02             -0.12                     91.2 to 91.6
#pragma once
#include <optional>

#include "lpot/tune/distance.h"

namespace lpot {

// The mean over all outputs that are class scores: floating-point values [samples, classes]. Rows of length 1
// with negative values are embeddings, not scores. nullopt: no output is.
std::optional<double> changed_answers(const Outputs& outputs, const Outputs& expected);

}  // namespace lpot
