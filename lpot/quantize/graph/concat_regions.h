// Finds connected concatenations that should read and write integers (the blocks of DenseNet).
//
// In such a block, every concatenation adds channels to the one before it, and an op without weights (a scaled ReLU)
// reads each of them. No int8 kernel reads the concatenations directly, so they would stay in fp32: each one copies
// floats, and so do the pooling and the convolutions before them. All tensors of a region have one quantizer instead.
// The ops without weights then read integers and write integers for the kernel after them.
#pragma once
#include <functional>
#include <openvino/core/node.hpp>
#include <set>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

struct ConcatRegion {
  std::vector<ov::Output<ov::Node>> tensors;  // inputs and outputs of its concatenations, in topological order
  std::vector<std::string> last;  // the outputs that no concatenation reads: their ranges contain all other ranges
};

// The regions in which every reader can read integers, and at least one op without weights stands before a kernel.
// Whether all tensors are written as integers depends on the plan.
std::vector<ConcatRegion> concat_regions(const Model&);

// Whether the plug-in generates a kernel for this op that computes each value from one value of one tensor, and that
// reads and writes integers. Other functions read floats.
bool is_generated(const ov::Node&);

// Whether all paths from this op lead to kernels, through ops that read and write integers.
bool only_read_by(const ov::Node&, const std::function<bool(const ov::Node&)>& is_kernel);

}  // namespace lpot
