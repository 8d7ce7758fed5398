// Which ops the keys of quantization.op_wise mean.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/model/model.h"
#include "lpot/quantize/capability.h"

namespace lpot {

// Positions of the ops that a key means: the one of that name, else those whose names match it as a regular expression,
// else, with a warning, those of that type, which may be called as the model's framework does (Conv2D, Gemm). Throws
// ConfigError with near names when it means none.
std::vector<std::size_t> ops_for_key(const std::vector<OpInfo>& quantizable, const std::string& key, const Place&,
                                     std::vector<std::string>& warnings);

// The settings without keys that mean ops of the model for which there is no int8 here: to keep them in fp32 is granted
// anyway, to want int8 gets a warning.
QuantizationConfig without_keys_of_other_ops(QuantizationConfig, const Model&, const std::vector<QuantizableOp>&,
                                             std::vector<std::string>& warnings);

}  // namespace lpot
