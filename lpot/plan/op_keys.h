// Which ops the keys of quantization.op_wise mean.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/op_info.h"
#include "lpot/core/with_warnings.h"
#include "lpot/plan/capability.h"

namespace lpot {

// Positions of the ops that a key means: the one of that name, else those whose names match it as a regular expression,
// else, with a warning, those of that type, which may be called as the model's framework does (Conv2D, Gemm). Throws
// ConfigError with near names when it means none.
WithWarnings<std::vector<std::size_t>> ops_for_key(const std::vector<OpInfo>& quantizable, const std::string& key,
                                                   const Place&);

// The ops of a model that keys may name.
struct NamedOps {
  std::vector<OpInfo> graph;                       // as it is quantized
  std::function<std::vector<OpInfo>()> file = {};  // nodes of the file, read when needed: some are folded in the graph
};

// The settings without keys that name ops which cannot run in int8: to keep these in fp32 is granted anyway; to want
// int8 gets a warning.
WithWarnings<QuantizationConfig> without_unquantizable_keys(QuantizationConfig, const std::vector<QuantizableOp>&,
                                                            const NamedOps&);

}  // namespace lpot
