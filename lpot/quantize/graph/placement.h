// Decides where quantizers are inserted, so that tensors stay int8 from one int8 kernel to the next.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace ov {
class Node;
template <typename NodeType>
class Output;
template <typename NodeType>
class Input;
}  // namespace ov

namespace lpot {

// An op type that does not change the values of its data inputs (reshape, transpose, max pooling). A quantizer after
// such an op can be moved before it, to each of its data inputs.
struct ValuePreservingOp {
  std::string op_type;
  bool every_input = false;                    // all inputs are data (Concat); otherwise only input 0
  bool (*only_if)(const ov::Node&) = nullptr;  // condition, for types whose ops preserve values only sometimes
};
const std::vector<ValuePreservingOp>& value_preserving_ops();

struct MoveOptions {
  bool through_max_pooling = true;
  bool through_concat = true;  // the inputs then share one scale
  bool through_heads = true;   // through the transpose and reshape that join attention heads
};

// True for ops whose outputs are parts of input 0. A quantizer moves before them if all parts have the same one.
bool splits_values(const ov::Node&);

// True when input 0 is the op's only data input and the op does not change its values.
bool preserves_values(const ov::Node&, const MoveOptions&);

// True for pooling and reductions that compute means of input 0. They run on integers, and a quantizer after them makes
// their output integers with its own levels. Padding counts as zeros, so it must be a level: `levels.low` is 0.
bool is_average(const ov::Node&);
bool pads_average(const ov::Node&);  // whether zeros of the padding are part of the means

// True for ops that compute each value from one value of one tensor. Kernels compute them with their own output.
bool is_elementwise(const ov::Node&);

// The data inputs of the value-preserving op that produces the tensor of `readers`, inputs that all read this tensor.
// Empty if the op changes values, or if the tensor has other readers.
std::vector<ov::Input<ov::Node>> one_step_up(const std::vector<ov::Input<ov::Node>>& readers, const MoveOptions& = {});

// Moves the quantizer of `readers`, inputs that all read the same tensor, up through value-preserving ops. Returns the
// inputs to quantize instead. The quantizer stops at a tensor that has other readers.
std::vector<ov::Input<ov::Node>> move_up(const std::vector<ov::Input<ov::Node>>& readers, const MoveOptions& = {});

// The CPU plug-in fuses the ops after a reduction into it: activation functions, additions and multiplications by a
// constant, and the quantizer after them, also across value-preserving ops. OpenVINO 2026.4 then computes wrong results
// in two cases: it applies per-channel divisors along the wrong axis, and ReduceMax and ReduceMin keep intermediate
// results as unscaled integers. Average pooling cannot write integers if a division follows.
bool may_be_divided(const ov::Input<ov::Node>&);    // whether divisors may be inserted before the input's quantizer
bool may_be_quantized(const ov::Input<ov::Node>&);  // false if the quantizer cannot move before the reduction

// Whether the runtime computes an int8 matrix product correctly. OpenVINO 2026.4 does not if
// - a multiplication by a constant with several values follows, also one that SmoothQuant may insert. It may multiply
//   the channels if the product has weights.
// - the product has no weights and several readers, and shapes are dynamic.
bool may_be_int8_product(const ov::Node&);

// A residual sum: the output of a convolution plus a tensor that bypasses it. The convolution's kernel adds them itself
// when both are integers; in fp32 the sum is a separate pass over both tensors.
struct ResidualSum {
  std::string op;                // the addition
  std::size_t side = 0;          // index of the input that the convolution produces
  std::string convolution;       // name of the convolution
  std::string from_convolution;  // name of the tensor at that input (see tensor_name)
  std::string bypass;            // name of the tensor at the other input
  // The convolution or earlier sum that could write the bypass as integers, because nothing else reads it; "": none.
  // Activation functions and ops that preserve values may be between them.
  std::string bypass_producer;
};
bool is_residual_sum(const ov::Node&);
std::vector<ResidualSum> residual_sums(const Model&);  // in topological order

}  // namespace lpot
