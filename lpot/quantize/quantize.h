// Applies a Plan to a model.
//
//   Model int8 = quantize(model, plan, statistics);
//
#pragma once
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/plan/plan.h"

namespace lpot {

// Weights become int8 constants with scales. Activations get a FakeQuantize, which the CPU plug-in turns into int8
// kernels; ops that read a tensor with the same range share it. Ops in fp32 and ops that the plan does not name do not
// change. Throws ModelError for a plan of another model and DataError when a tensor has no statistics.
//
// The two steps are `resolve` (resolve.h) and `apply` (writers/openvino.h).
Model quantize(const Model&, const Plan&, const Statistics&);

}  // namespace lpot
