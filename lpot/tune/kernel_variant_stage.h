// Stage "choose kernel variants": which variant of every op is fastest on this machine, and which ops are slower in
// int8 than in fp32.
#pragma once
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/quantize/kernel_variants/cache.h"
#include "lpot/quantize/kernel_variants/choose.h"
#include "lpot/tune/quantization_task.h"

namespace lpot {

struct VariantMeasurement {
  const Plan& plan;  // the final plan with every op in int8
  const Statistics& statistics;
  const std::vector<Tensor>& sample;
  KernelVariantCache cache;
  KernelVariantOptions options = {};
};

// Reads the variants from the cache if it contains all ops. Otherwise, measures and caches them. The result is empty if
// the configuration requests plain variants, or if variants cannot be compared.
KernelVariantChoice measure_kernel_variants(const QuantizationTask&, const Config&, const VariantMeasurement&,
                                            const Observer&);

// The choices with the measured variants. If speed is the objective, ops that are slower in int8 stay in fp32. Logs
// the changes.
PlanChoices apply_kernel_variants(const PlanChoices&, const Config&, const KernelVariantChoice&, const Observer&);

}  // namespace lpot
