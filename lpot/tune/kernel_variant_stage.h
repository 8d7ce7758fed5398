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
  const Plan& plan;  // everything in int8, as it is written
  const Statistics& statistics;
  const std::vector<Tensor>& sample;
  KernelVariantCache cache;
  KernelVariantOptions options = {};
};

// From the cache if it has all ops, else measured and remembered. Nothing when the configuration wants plain variants,
// or when they cannot be compared.
KernelVariantChoice measure_kernel_variants(const QuantizationTask&, const Config&, const VariantMeasurement&,
                                            const Observer&);

// The choices with the variants that were measured; ops that are slower in int8 stay in fp32 where speed is the
// objective. Logs what changed.
PlanChoices apply_kernel_variants(const QuantizationTask&, const Config&, const KernelVariantChoice&, const Observer&);

}  // namespace lpot
