// Finds ops that a plan quantizes although the runtime has no int8 kernel for them. Such an op runs in fp32 between a
// quantizer and a dequantizer, so it loses accuracy and gains no speed.
//
//   const Edits edits = resolve(model, plan, statistics);
//   const Executable executable(apply(model, edits));
//   for (const UnusedInt8& found : unused_int8(model, edits, executable.executed_ops()))
//     std::cout << found.op << ": " << found.reason << "\n";
//
#pragma once
#include <string>
#include <vector>

#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/runtime/executable.h"

namespace lpot {

struct UnusedInt8 {
  std::string op;
  std::string reason;  // for a message
};

// `edits`: of the plan, with plain kernel variants. `executed`: the kernels of its int8 model. Ops that the runtime
// fused into another kernel are not found.
std::vector<UnusedInt8> unused_int8(const Model& source, const Edits& edits, const std::vector<ExecutedOp>& executed);

}  // namespace lpot
