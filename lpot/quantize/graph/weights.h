// Quantization of constant weights, independent of any graph.
//
//   WeightMatrix rows(values, {shape, {0}, {1}});
//   QuantizedRows quantized = quantize_rows(rows, scheme);
//
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/plan/plan.h"

namespace lpot {

// The dimensions of the channels in a constant.
struct WeightLayout {
  Shape shape;
  std::vector<std::size_t> output_axes;      // dimensions of the output channels
  std::vector<std::size_t> input_axes = {};  // dimensions of the input channels; a group dimension is in both
};

// Weights as a matrix. Each output channel is a row. Each input channel that the row reads has one column per tap of
// the kernel, and the taps of a channel are adjacent.
class WeightMatrix {
 public:
  WeightMatrix(const std::vector<float>& values, WeightLayout);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t taps() const { return taps_; }      // columns of one input channel
  std::size_t inputs() const { return inputs_; }  // input channels of all rows together
  // The input channel of the row's first column. The row's other channels follow it.
  std::size_t first_input(std::size_t row) const { return row / (rows_ / groups_) * (columns_ / taps_); }

  float* row(std::size_t index) { return values_.data() + index * columns_; }
  const float* row(std::size_t index) const { return values_.data() + index * columns_; }
  const WeightLayout& layout() const { return layout_; }
  void release();  // frees the values when all rows have been read

  // Converts integers from the order of this matrix to the order of the constant.
  std::vector<std::int8_t> restored(const std::vector<std::int8_t>&) const;
  std::vector<float> in_order_of_constant() const;  // the matrix's own values

 private:
  WeightLayout layout_;
  std::size_t rows_ = 1, columns_ = 1, taps_ = 1, groups_ = 1, inputs_ = 1;
  std::vector<std::size_t> order_;  // order of the constant's dimensions in the matrix
  std::vector<float> values_;
};

// The quantized values of a WeightMatrix.
struct QuantizedRows {
  std::vector<std::int8_t> values;
  std::vector<float> scales;  // one per row, or one for all rows

  float scale(std::size_t row) const { return scales.size() == 1 ? scales[0] : scales[row]; }
};

// Symmetric: value = round(weight / scale), scale = largest magnitude / limit. Algorithm::Mse uses the scale with the
// smallest squared error of the outputs instead; large weights may then be clipped. An error of a weight reaches the
// output through the input that it multiplies. `input_powers` are the mean squares of the input channels; empty: all
// are equal. Errors of different weights are assumed to be independent.
QuantizedRows quantize_rows(const WeightMatrix&, const TensorScheme&, const std::vector<double>& input_powers = {});

// Quantized weights in the order of the constant.
struct QuantizedWeights {
  std::vector<std::int8_t> values;  // one per value of the constant
  std::vector<float> scales;        // one per channel, or a single one
  Shape scale_shape;                // broadcasts against the weights
};
QuantizedWeights in_order_of_constant(const WeightMatrix&, const QuantizedRows&);

QuantizedWeights quantize_weights(const std::vector<float>& weights, const Shape& shape,
                                  const std::vector<std::size_t>& channel_axes, const TensorScheme&);

// Rescale the channels of a matrix: the columns of an input channel, or the row of an output channel.
void multiply_inputs(WeightMatrix&, const std::vector<float>& factors);
void divide_outputs(WeightMatrix&, const std::vector<float>& divisors);

// The integer values of a symmetric weight are -limit..limit.
int weight_limit(const TensorScheme&);

}  // namespace lpot
