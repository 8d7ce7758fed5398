// Nodes that several writers of OpenVINO graphs insert: integer constants, quantizers.
#pragma once
#include <cstdint>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <string>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/quantize/graph/weights.h"

namespace lpot {

// What converts the integers to floats: an int8 kernel of the plug-in, or the plug-in when it compiles the model.
enum class Dequantized { ByKernel, WhenCompiled };

// Constant(i8) -> Convert(f32) -> Multiply(scale): the pattern that the plug-in recognizes as int8 weights. It takes a
// quarter of the space on disk. If no kernel uses the integers, the plug-in multiplies them in place, in memory that
// all streams share, once per stream. With two streams this gives wrong results in about one of fifteen compilations
// (OpenVINO 2026.4). A Divide does not match the pattern and is folded before that.
ov::Output<ov::Node> dequantized(const ov::Shape&, const std::vector<std::int8_t>& integers,
                                 const ov::Shape& scale_shape, std::vector<float> scales, const std::string& name,
                                 Dequantized = Dequantized::ByKernel);
ov::Output<ov::Node> dequantized(const ov::opset8::Constant&, const QuantizedWeights&,
                                 Dequantized = Dequantized::ByKernel);

// A quantizer with 256 levels. With `output_levels` it also maps the levels to others, which scales the values.
ov::Output<ov::Node> fake_quantize(const ov::Output<ov::Node>&, const Range& levels, const std::string& name);
ov::Output<ov::Node> fake_quantize(const ov::Output<ov::Node>&, const Range& levels, const Range& output_levels,
                                   const std::string& name);

// Moves the readers and names of a tensor to another tensor.
void replace_output(const ov::Output<ov::Node>& old, const ov::Output<ov::Node>& with);

}  // namespace lpot
