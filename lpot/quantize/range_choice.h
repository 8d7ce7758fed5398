// Chooses a range estimator for every activation: the one whose range is expected to change the outputs of the ops that
// read it least. Uses collected statistics only, no inference.
//
//   std::map<std::string, Algorithm> of_op = least_error_estimators(model, choices, statistics);
//
// A range has two errors. Rounding inside the range adds noise of variance step^2 / 12 to every value. Clipping changes
// the values outside. Both reach the output of an op through the weights of their input channel, so a channel with
// large weights counts more. The histogram has the clipped power of the whole tensor. It is divided among the channels
// in proportion to the square of the distance by which each exceeds the range.
//
// This differs from the estimator `mse`, which minimizes the error of the tensor itself and ignores the weights.
//
// Limits: errors of different channels are assumed to be independent, and the effect on later ops is ignored.
#pragma once
#include <map>
#include <string>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/scheme.h"
#include "lpot/model/model.h"
#include "lpot/plan/search_space.h"

namespace lpot {

// By op: one of the estimators that `choices` allows for it. Ops that read the same tensor get the same estimator. Ops
// that are never int8 and ops with quantized weights only are left out.
std::map<std::string, Algorithm> least_error_estimators(const Model&, const PlanChoices&, const Statistics&);

}  // namespace lpot
