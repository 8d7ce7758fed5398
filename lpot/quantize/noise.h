// Estimates the quantization noise of every op's output: a first sensitivity ranking without inference.
//
// Rounding with step s adds noise of variance s^2 / 12. The statistics contain the power of every channel. Together
// they give the noise that the quantized input and weights of an op add to its output, as a share of the signal. The
// estimate ignores clipping and how later ops change the noise.
#pragma once
#include <map>
#include <string>

#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/plan/plan.h"

namespace lpot {

struct Edits;

// Noise power divided by signal power, for each op that the plan sets to int8.
std::map<std::string, double> expected_noise(const Model&, const Plan&, const Statistics&);
std::map<std::string, double> expected_noise(const Model&, const Edits&, const Statistics&);  // of resolved plans

}  // namespace lpot
