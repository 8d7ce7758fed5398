// The precisions in which the runtime can compute on this CPU, and its default.
//
//   const std::vector<InferencePrecision> usable = supported_precisions();  // F32 first
//   if (default_precision() == InferencePrecision::Bf16) std::cout << "OpenVINO runs fp32 models in bf16 here\n";
//
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/scheme.h"

namespace lpot {

// The precisions of a device with these OPTIMIZATION_CAPABILITIES ("FP32", "BF16", "FP16", "INT8", ...). F32 is first.
std::vector<InferencePrecision> precisions_of(const std::vector<std::string>& capabilities);

std::vector<InferencePrecision> supported_precisions();  // of the CPU

// What OpenVINO uses if the caller sets nothing: Bf16 on CPUs with AVX512_BF16 or AMX, F16 on some Arm CPUs, else F32.
InferencePrecision default_precision();

// `wanted`, or F32 if the CPU does not support it. Used for models that were saved on another CPU.
InferencePrecision usable_precision(InferencePrecision wanted);

// Throws ConfigError with the supported precisions if the CPU does not support this one. `where`: the key or option.
void check_precision(InferencePrecision, std::string_view where);

// The precision with that name; "auto" is the default one. Throws ConfigError as check_precision does, and for other
// names.
InferencePrecision parse_precision(std::string_view name, std::string_view where);

// The settings of OpenVINO that change the results of a model: its precision, and settings whose default depends on the
// version. A program that compiles a saved model with these settings gets the outputs that lpot evaluated.
std::map<std::string, std::string> result_settings(InferencePrecision);

}  // namespace lpot
