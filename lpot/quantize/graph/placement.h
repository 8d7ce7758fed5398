// Where quantizers stand, so that int8 tensors flow from one int8 kernel to the next.
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

// A row of the table: an op type that hands on the values of these inputs as they are, so that a quantizer behind it
// may as well stand in front of each of them.
struct ValuePreservingOp {
  std::string op_type;
  bool every_input = false;                    // all inputs hold data (Concat); else input 0
  bool (*only_if)(const ov::Node&) = nullptr;  // where not every op of the type does so
};
const std::vector<ValuePreservingOp>& value_preserving_ops();

struct MoveOptions {
  bool through_max_pooling = true;
  bool through_concat = true;              // its inputs then share one scale
  bool through_heads = true;               // where attention's heads are joined: a transposition and a reshape
  std::set<std::string> not_through = {};  // names of ops that quantizers stay behind
};

// Whether the op hands on the values of its input 0, and has no other data.
bool preserves_values(const ov::Node&, const MoveOptions&);

// The inputs to quantize instead of `readers`, which are all of one tensor: moved up as long as nothing but them, and
// movers, reads what lies between.
std::vector<ov::Input<ov::Node>> move_up(const std::vector<ov::Input<ov::Node>>& readers, const MoveOptions& = {});

// The plug-in makes what stands behind a reduction part of it: activations, sums and products with a constant, and the
// quantizer behind these, movers between or not. Two things go wrong then (OpenVINO 2026.4): a division of channels is
// taken for another axis, and ReduceMax and ReduceMin keep what they found so far as integers that are not scaled yet.
bool may_be_divided(const ov::Input<ov::Node>&);    // its channels, in front of its quantizer
bool may_be_quantized(const ov::Input<ov::Node>&);  // false where the quantizer cannot move in front of the reduction

// A sum of what a convolution gives and of what bypassed it. Where both are integers the convolution's kernel adds them
// itself; in fp32 the sum is a pass of its own over both.
struct ResidualSum {
  std::string op;                // the addition
  std::size_t side = 0;          // its input that comes out of the convolution
  std::string convolution;       // by name
  std::string from_convolution;  // the tensor at that input, as tensor_name says
  std::string bypass;            // the tensor at the other
};
std::vector<ResidualSum> residual_sums(const Model&);

}  // namespace lpot
