// Run-time groups: for ops of which only the weights are int8, the plug-in can quantize activations at run time, in
// groups of this many values (quantize/weights_only.h). The saved model stores the group size, so that it computes the
// same results on other machines as in the evaluation here. The search sets the size; there is no configuration key.
#pragma once

namespace lpot {

// The recipe's name in plans. The value 0 leaves activations in fp32.
inline constexpr const char* kRunTimeGroups = "run_time_groups";

}  // namespace lpot
