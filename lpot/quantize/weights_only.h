// Weight-only quantization (post_training_dynamic_quant): weights are stored as int8, activations are quantized at run
// time or not at all. It needs no calibration, and the file has about a quarter of the fp32 size.
//
// OpenVINO's CPU plug-in handles such models as follows:
// - A matrix product keeps its weights as int8 in memory. On x86 CPUs with VNNI the kernel quantizes the activations at
//   run time, in groups of `hint::dynamic_quantization_group_size` values (default: 32). On other CPUs it converts the
//   weights to fp32 block by block and multiplies in fp32.
// - The weights of a convolution become fp32 when the model is compiled, so it is as fast as in fp32.
// The saved model stores the group size (runtime_options of its rt_info), so that it computes the same results on other
// machines as in the evaluation here.
#pragma once
#include <cstddef>
#include <string>

#include "lpot/core/cpu.h"
#include "lpot/plan/plan.h"

namespace lpot {

// The group size with which this CPU quantizes activations at run time; 0: activations stay in fp32.
std::size_t run_time_groups(const Cpu&);

bool is_weights_only(const Plan&);  // true if at least one op is

// A sentence for the user: how activations are computed, and what weight-only quantization gains.
std::string describe_activations(const Plan&, const Cpu&);

}  // namespace lpot
