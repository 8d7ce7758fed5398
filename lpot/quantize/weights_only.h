// Weights only (post_training_dynamic_quant): weights are stored as int8, activations are left to the run time. No
// calibration is needed, and the file is about a quarter of fp32's.
//
// What OpenVINO's CPU plug-in makes of it:
// - A matrix product keeps its weights as int8 in memory. On x86 CPUs with VNNI the kernel quantizes its activations as
//   it goes, in groups of `hint::dynamic_quantization_group_size` values (32 unless told otherwise); on all others it
//   turns the weights into fp32 block by block and multiplies in fp32.
// - The weights of a convolution become fp32 when the model is compiled: as fast as fp32, no faster.
// The size of the groups goes into the saved model (runtime_options of its rt_info), so that it computes elsewhere what
// was evaluated here.
#pragma once
#include <cstddef>
#include <string>

#include "lpot/core/cpu.h"
#include "lpot/plan/plan.h"

namespace lpot {

// The groups that this CPU quantizes activations in at run time; 0: none, they stay fp32.
std::size_t run_time_groups(const Cpu&);

bool is_weights_only(const Plan&);  // at least one op is

// One sentence for the user: what becomes of the activations, and what is gained.
std::string describe_activations(const Plan&, const Cpu&);

}  // namespace lpot
