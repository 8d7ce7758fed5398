// Places the quantizers that ONNX Runtime needs to run int8 kernels.
//
// OpenVINO's int8 kernels write floats as well as integers. ONNX Runtime's convolution has an int8 kernel only if its
// output passes through a quantizer too: otherwise it converts the weights to floats and computes in fp32. The same is
// true for sums, products, Sigmoid, pooling and concatenations: all inputs and the output must be integers. So these
// reads are added behind every int8 convolution:
// - the readers of its output, after an activation function that is part of the kernel (Relu, Clip)
// - the readers of the ops after it that ONNX Runtime computes on integers, as long as all their inputs are integers
//
// Each additional quantizer rounds, and OpenVINO gains nothing from it, so the recipe onnx_runtime switches this on.
// The edits belong to the plan, so model.xml and model.onnx are still the same model.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// The tensors whose ranges must be observed for these reads.
std::set<std::string> tensors_of_onnx_runtime(const Model&);

// The reads to add to `edits`. Reads that have a quantizer already, and those with another op's divisors, stay.
std::vector<InputEdit> onnx_runtime_reads(const Model&, const Edits&, const Statistics&);

// The number of int8 convolutions whose output does not pass through a quantizer: ONNX Runtime runs them in fp32.
std::size_t count_float_outputs(const Model&, const Edits&);

}  // namespace lpot
