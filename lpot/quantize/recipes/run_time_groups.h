// Run-time groups: activations of ops with int8 weights only are quantized at run time, so many values at a time, where
// the plug-in does that (weights_only.h). The size goes into the saved model, so that it computes elsewhere what was
// evaluated here. The search sets it; the configuration has no key for it.
#pragma once

namespace lpot {

inline constexpr const char* kRunTimeGroups = "run_time_groups";  // the recipe's name in plans; 0: they stay fp32

}  // namespace lpot
