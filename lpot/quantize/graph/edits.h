// Edits: the changes that a Plan and its statistics make to the source graph. `resolve` (quantize/resolve.h) builds
// them. Every writer (OpenVINO, ONNX, ...) applies the same edits.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/plan/capability.h"
#include "lpot/plan/plan.h"
#include "lpot/quantize/graph/weights.h"

namespace lpot {

// An op with int8 weights. Its constant input 1 becomes integers with scales; its input 0 gets a quantizer.
struct OpEdit {
  std::string op;    // the source graph's node name
  std::string type;  // "Convolution", "MatMul", ...

  std::string activation;             // name of the quantized tensor (see tensor_name); "": none, weights only
  Range levels;                       // lowest and highest of its 256 levels; zero is exactly one level
  std::vector<float> input_divisors;  // SmoothQuant: the activation's channels are divided by these before
                                      // quantization; the weights are multiplied by them. Empty: none
  bool divisors_folded = false;  // the division is part of the previous kernel's weights and bias; nothing to write
  int input_channel_axis = 1;    // of the activation; negative: from the end

  QuantizedWeights weights;              // in the constant's own shape
  std::vector<std::size_t> weight_axes;  // dimensions of the weights that hold the output channels

  std::vector<float> bias;      // added to the output, one per output channel; empty: none
  bool needs_bias = false;      // its bias must not be zero in all channels (see complete_bias in graph/bias.h)
  int output_channel_axis = 1;  // of the output; negative: from the end

  KernelVariant variant = KernelVariant::Plain;

  // The divisors that a writer must insert before the quantizer.
  const std::vector<float>& written_divisors() const {
    static const std::vector<float> kNone;
    return divisors_folded ? kNone : input_divisors;
  }
};

// A product of two activations that runs in int8: both inputs get a quantizer.
struct ProductEdit {
  std::string op;
  Range levels[2];  // of its two inputs; zero is exactly one level of each
};

// A recurrent sequence (LSTM, GRU) that runs in int8. graph/sequences.h says why the form Kernel shares its levels and
// scales.
struct SequenceEdit {
  std::string op;
  std::string type;  // "LSTMSequence" or "GRUSequence"
  SequenceForm form = SequenceForm::Kernel;

  Range input_levels;     // of X
  Range state_levels;     // of H at every step. In the form Kernel, these are the levels of X divided by input_scale
  float input_scale = 1;  // X is divided by this power of two, and W is multiplied by it
  std::size_t zero_inputs = 0;     // added to X after its own inputs, with weights of zero (graph/sequences.h)
  QuantizedWeights input_weights;  // W. In the form Kernel, it has the scales of R
  QuantizedWeights state_weights;  // R
};

// New f32 values of a constant, in the source graph's layout. Recipes that rescale channels change weights and biases
// this way.
struct ConstantEdit {
  std::string constant;
  std::vector<float> values;
};

// An embedding table (rows that are looked up by index). It is stored as integers with one scale per row or per column
// and computed in fp32.
struct EmbeddingEdit {
  std::string op;                                // the Gather
  std::shared_ptr<const QuantizedWeights> rows;  // never null

  bool has_row_scales() const { return rows->scale_shape.back() == 1; }
};

// An op without weights that reads an input through a quantizer, so that the op before it can write integers: a
// residual sum, pooling. Where int8 ops read the same tensor, the levels are theirs, and they share the quantizer.
struct InputEdit {
  std::string op;
  std::string type;
  std::size_t input = 0;  // its index
  Range levels;

  bool operator==(const InputEdit&) const = default;
};

struct Edits {
  std::vector<OpEdit> ops;  // in topological order
  std::vector<ProductEdit> products;
  std::vector<SequenceEdit> sequences = {};
  std::vector<InputEdit> inputs;
  std::vector<ConstantEdit> constants;
  std::vector<EmbeddingEdit> tables;
  std::size_t run_time_groups = 0;  // this and the next three members are the values of the recipes with the same names
  bool through_max_pooling = true;
  bool through_concat = true;
  bool onnx_runtime = false;
  InferencePrecision inference_precision = InferencePrecision::F32;  // of the edited model
  std::vector<OpInfo> f32_ops = {};  // stay in f32 where the runtime computes in 16 bits
  bool keeps_all_in_f32 = false;     // a model without int8 whose ops all stay in f32 there
};

}  // namespace lpot
