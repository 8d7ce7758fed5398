// Combines the measurements of every op into the rows of a diagnosis (plan/diagnosis.h).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/plan/diagnosis.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/tune/quantization_task.h"

namespace lpot {

// Measurements of a plan with every op in int8.
struct OpMeasurements {
  std::size_t samples = 0;  // number of samples of the statistics
  const Statistics& statistics;
  const std::map<std::string, double>& noise;      // quantize/noise.h
  const std::vector<std::string>& saturating_ops;  // quantize/saturation.h
  const KernelVariantChoice& variants;
};

std::vector<OpDiagnosis> diagnose_ops(const QuantizationTask&, const OpMeasurements&);  // in topological order

// The input tensors of the noisiest ops, without duplicates, with the ranges of the plan.
std::vector<TensorHistogram> noisiest_tensors(const std::vector<OpDiagnosis>&, const Plan& plan, const Statistics&);

}  // namespace lpot
