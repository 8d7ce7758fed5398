// Describes in words how a plan quantizes: the range estimators of activations and weights. For reports.
//
//   std::cout << describe_ranges(plan);  // activations: kl; weights: minmax per channel
//   std::cout << short_label(plan);      // kl
//
// Recipes are described by describe_recipes (plan/recipes.h), precisions by describe_precisions (plan/plan.h).
#pragma once
#include <string>

#include "lpot/plan/plan.h"

namespace lpot {

// "activations: mse (31 ops), minmax (22 ops); weights: minmax per channel". Only ops in int8 count, and the scheme of
// most ops is the first. Names only properties that are not usual: activations that are symmetric or per channel,
// weights that are asymmetric, less than 7 bits. If the search chose the number of calibration samples, the text ends
// with it. If nothing is in int8: "no int8 (bf16)".
std::string describe_ranges(const Plan&);

// A name for the plan in a list of plans for the whole model: "kl", "mixed", "minmax, weights mse", "no int8 (bf16)".
// Says nothing about weights if those of most ops are minmax per channel.
std::string short_label(const Plan&);

}  // namespace lpot
