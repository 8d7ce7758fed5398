// How much of every op's output is expected to be noise of its quantization: a first ranking of the ops that costs no
// inference.
//
// Rounding to steps of s adds noise of variance s^2 / 12. With the power of every channel known from the statistics,
// that gives the noise that an op's inputs and weights bring into its output, as a share of its signal. Clipped values
// and what becomes of the noise further on are left out.
#pragma once
#include <map>
#include <string>

#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/plan/plan.h"

namespace lpot {

struct Edits;

// By op, of those that the plan has in int8: noise power over signal power.
std::map<std::string, double> expected_noise(const Model&, const Plan&, const Statistics&);
std::map<std::string, double> expected_noise(const Model&, const Edits&,
                                             const Statistics&);  // what a plan comes down to

}  // namespace lpot
