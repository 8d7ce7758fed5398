// Finds the ops that the keys of quantization.op_wise match.
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

// Returns the positions of the ops that a key matches. A key matches, in this order: the op of that name, ops whose
// names match it as a regular expression, or, with a warning, ops of that type. Types may have the names of the model's
// framework (Conv2D, Gemm). Throws ConfigError with similar names if no op matches.
WithWarnings<std::vector<std::size_t>> ops_for_key(const std::vector<OpInfo>& quantizable, const std::string& key,
                                                   const Place&);

// The ops of a model that a key can refer to.
struct NamedOps {
  std::vector<OpInfo> graph;                       // ops of the graph that is quantized
  std::function<std::vector<OpInfo>()> file = {};  // reads the nodes of the file; the graph may lack some of them
};

// Removes keys that match only ops without int8 kernels. Warns if a removed key asks for int8; such ops stay in fp32.
WithWarnings<QuantizationConfig> without_unquantizable_keys(QuantizationConfig, const std::vector<QuantizableOp>&,
                                                            const NamedOps&);

}  // namespace lpot
