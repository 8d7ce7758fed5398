// Stage "check sequences": recurrent sequences whose int8 kernel is not correct on this machine stay unquantized.
#pragma once
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/tune/plan_statistics.h"
#include "lpot/tune/quantization_task.h"

namespace lpot {

// The task without the int8 choices of sequences that fail the check (quantize/sequence_check.h) in the first plan.
// `sample`: one sample of the model's inputs. Logs each reason.
QuantizationTask without_mismatched_sequences(QuantizationTask, const Config&, const StatisticsByPlan&,
                                              const std::vector<Tensor>& sample, const Observer&);

}  // namespace lpot
