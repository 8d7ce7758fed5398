// What a Plan with its statistics means for the source graph. `resolve` (quantize/resolve.h) makes them; every writer
// (OpenVINO, ONNX, ...) applies the same edits.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/plan/plan.h"
#include "lpot/quantize/graph/weights.h"

namespace lpot {

// One op with int8 weights: its constant input 1 becomes integers with scales, its input 0 gets a quantizer.
struct OpEdit {
  std::string op;    // the source graph's node name
  std::string type;  // "Convolution", "MatMul", ...

  std::string activation;             // the tensor that is quantized, as tensor_name says; "": none, weights only
  Range levels;                       // ends of its 256 levels; one of them is exactly zero
  std::vector<float> input_divisors;  // SmoothQuant: the observed activation's channels are divided by these before
                                      // they are quantized, the weights hold the factor; empty: none
  bool divided_before = false;        // by the weights and the bias of the kernel in front: nothing is left to write
  int input_channel_axis = 1;         // of the activation; negative: from the end

  QuantizedWeights weights;              // of the constant's own shape
  std::vector<std::size_t> weight_axes;  // dimensions of the weights that hold the output channels

  std::vector<float> bias;      // added to the output, one per output channel; empty: none
  int output_channel_axis = 1;  // of the output; negative: from the end

  KernelVariant variant = KernelVariant::Plain;

  // What a writer divides the activation by.
  const std::vector<float>& written_divisors() const {
    static const std::vector<float> kNone;
    return divided_before ? kNone : input_divisors;
  }
};

// A product of two activations that runs in int8: both inputs get a quantizer.
struct ProductEdit {
  std::string op;
  Range levels[2];  // of its inputs; zero is one of them
};

// A constant that other values replace, in the source graph's layout and type f32 (weights or biases of a recipe that
// rescales channels).
struct ConstantEdit {
  std::string constant;
  std::vector<float> values;
};

// A table of rows that is looked up by index (embeddings): stored as integers with a scale for each row or for each
// column, computed in fp32.
struct EmbeddingEdit {
  std::string op;                                // the Gather
  std::shared_ptr<const QuantizedWeights> rows;  // never null

  bool has_row_scales() const { return rows->scale_shape.back() == 1; }
};

// A residual sum whose two inputs become integers, so that the convolution's kernel adds them.
struct SumEdit {
  std::string op;        // the addition
  std::size_t side = 0;  // its input that comes out of the convolution
  Range levels;          // of that input; the other has the quantizer of the ops that read the same tensor
};

// An op in fp32 that hands its input 0 on and reads it through the quantizer that int8 kernels have there.
struct SharedRead {
  std::string op;
  std::string type;

  bool operator==(const SharedRead&) const = default;
};

struct Edits {
  std::vector<OpEdit> ops;  // in topological order
  std::vector<ProductEdit> products;
  std::vector<SumEdit> sums;
  std::vector<SharedRead> reads;
  std::vector<ConstantEdit> constants;
  std::vector<EmbeddingEdit> tables;
  std::size_t run_time_groups = 0;  // options: values of the recipes of the same names
  bool through_max_pooling = true;
  bool through_concat = true;
};

}  // namespace lpot
