// Where quantizers stand, so that int8 tensors flow from one int8 kernel to the next.
#pragma once
#include <memory>
#include <string>
#include <vector>

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
struct Mover {
  std::string op_type;
  bool every_input = false;  // all inputs hold data (Concat); else input 0
};
const std::vector<Mover>& movers();

struct MoveOptions {
  bool through_max_pooling = true;
  bool through_concat = true;  // its inputs then share one scale
};

// The inputs to quantize instead of `readers`, which are all of one tensor: moved up as long as nothing but them, and
// movers, reads what lies between.
std::vector<ov::Input<ov::Node>> move_up(const std::vector<ov::Input<ov::Node>>& readers, const MoveOptions& = {});

// Whether this reader of a quantized tensor should read the quantized values as well: a residual addition whose other
// side comes out of a convolution, which adds integers for nothing.
bool joins_quantized(const ov::Input<ov::Node>& reader);

}  // namespace lpot
