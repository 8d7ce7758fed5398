// Quantization of a constant, plain and apart from any graph.
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

// Where the channels lie in a constant.
struct WeightLayout {
  Shape shape;
  std::vector<std::size_t> output_axes;      // dimensions that the output channels run over
  std::vector<std::size_t> input_axes = {};  // and the input channels; a dimension of groups is in both
};

// Weights with one row for each output channel; a column for each input channel that the row reads and each tap of the
// kernel, the taps of a channel side by side.
class WeightMatrix {
 public:
  WeightMatrix(const std::vector<float>& values, WeightLayout);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t taps() const { return taps_; }      // columns of one input channel
  std::size_t inputs() const { return inputs_; }  // of all rows together
  // The input channel of a row's first column; its channels follow one after the other.
  std::size_t first_input(std::size_t row) const { return row / (rows_ / groups_) * (columns_ / taps_); }

  float* row(std::size_t index) { return values_.data() + index * columns_; }
  const float* row(std::size_t index) const { return values_.data() + index * columns_; }
  const WeightLayout& layout() const { return layout_; }
  void release();  // its memory, when all rows are read

  // Numbers in the order of this matrix, in the order of the constant.
  std::vector<std::int8_t> restored(const std::vector<std::int8_t>&) const;
  std::vector<float> in_order_of_constant() const;  // its own

 private:
  WeightLayout layout_;
  std::size_t rows_ = 1, columns_ = 1, taps_ = 1, groups_ = 1, inputs_ = 1;
  std::vector<std::size_t> order_;  // of the constant's dimensions
  std::vector<float> values_;
};

// Integers of a WeightMatrix.
struct QuantizedRows {
  std::vector<std::int8_t> values;
  std::vector<float> scales;  // one for each row, or one for all

  float scale(std::size_t row) const { return scales.size() == 1 ? scales[0] : scales[row]; }
};

// Symmetric: value = round(weight / scale), scale = largest magnitude / limit; with Algorithm::Mse the scale that loses
// least, which may clip.
QuantizedRows quantize_rows(const WeightMatrix&, const TensorScheme&);

// In the constant's own order.
struct QuantizedWeights {
  std::vector<std::int8_t> values;  // as many as the source has
  std::vector<float> scales;        // one per channel, or one
  Shape scale_shape;                // broadcasts against the weights
};
QuantizedWeights in_order_of_constant(const WeightMatrix&, const QuantizedRows&);

QuantizedWeights quantize_weights(const std::vector<float>& weights, const Shape& shape,
                                  const std::vector<std::size_t>& channel_axes, const TensorScheme&);

// Rescale the channels of a matrix: the columns that read an input channel, or the rows that make an output channel.
void multiply_inputs(WeightMatrix&, const std::vector<float>& factors);
void divide_outputs(WeightMatrix&, const std::vector<float>& divisors);

// Integer levels of a symmetric weight: -limit..limit.
int weight_limit(const TensorScheme&);

}  // namespace lpot
