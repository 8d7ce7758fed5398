// Carries a Plan out on a model.
//
//   Model int8 = quantize(model, plan, statistics);
//
#pragma once
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/plan/plan.h"

namespace lpot {

// Weights become int8 constants with their scales, activations get a FakeQuantize that the CPU plug-in turns into int8
// kernels; one tensor with one range is quantized once, whoever reads it. Ops in fp32 and ops that the plan does not
// name stay as they are. Throws ModelError for a plan of another model, DataError when a tensor has no statistics.
//
// In two steps: resolve and apply of edits.h.
Model quantize(const Model&, const Plan&, const Statistics&);

}  // namespace lpot
