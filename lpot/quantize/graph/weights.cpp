#include "lpot/quantize/graph/weights.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lpot {
namespace {

bool contains(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// Calls `use(i, place)` for every element of an array whose dimensions are permuted to `order`: element i of the
// permuted array is at index `place` of the original. The positions are computed row by row (a row is the last
// dimension of `order`), so no index array is stored.
template <typename Use>
void for_each_place(const Shape& shape, const std::vector<std::size_t>& order, Use&& use) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
  const std::size_t count = element_count(shape);
  const std::size_t length = order.empty() ? 1 : shape[order.back()];
  const std::size_t step = order.empty() ? 1 : strides[order.back()];
  std::vector<std::size_t> at(order.size(), 0);  // current index in each dimension of `order`
  std::size_t first = 0;                         // position of the row's first element
  for (std::size_t i = 0; i < count;) {
    for (std::size_t k = 0; k < length; ++k, ++i) use(i, first + k * step);
    for (std::size_t axis = order.size(); axis-- > 1;) {
      std::size_t& index = at[axis - 1];
      first += strides[order[axis - 1]];
      if (++index < shape[order[axis - 1]]) break;
      first -= index * strides[order[axis - 1]];
      index = 0;
    }
  }
}

// Weights that share a scale. All rows have the same number of columns.
struct ScaledWeights {
  const WeightMatrix& matrix;
  std::size_t first_row, last_row;          // the row after the last one
  const std::vector<double>& input_powers;  // empty: all inputs are equal

  float largest() const {
    float found = 0;
    for (std::size_t row = first_row; row < last_row; ++row)
      for (std::size_t i = 0; i < matrix.columns(); ++i) found = std::max(found, std::fabs(matrix.row(row)[i]));
    return found;
  }

  // The mean square that quantization with this scale adds to the outputs, times the number of rows.
  double output_error(float scale, float limit) const {
    double error = 0;
    for (std::size_t row = first_row; row < last_row; ++row) {
      const float* values = matrix.row(row);
      const double* powers = input_powers.empty() ? nullptr : input_powers.data() + matrix.first_input(row);
      for (std::size_t column = 0; column < matrix.columns(); column += matrix.taps()) {
        double of_input = 0;
        for (std::size_t i = column; i < column + matrix.taps(); ++i) {
          const float level = std::clamp(std::nearbyint(values[i] / scale), -limit, limit);
          const double difference = static_cast<double>(values[i] - level * scale);
          of_input += difference * difference;
        }
        error += powers ? powers[column / matrix.taps()] * of_input : of_input;
      }
    }
    return error;
  }
};

// The scale with the smallest error; values beyond its range are clipped.
float best_scale(const ScaledWeights& weights, float largest, float limit) {
  constexpr int kSteps = 20;  // down to half of the largest magnitude
  float best = largest / limit;
  double least = weights.output_error(best, limit);
  for (int step = 1; step <= kSteps; ++step) {
    const float scale = largest * (1.0f - 0.5f * static_cast<float>(step) / kSteps) / limit;
    const double error = weights.output_error(scale, limit);
    if (error >= least) continue;
    least = error;
    best = scale;
  }
  return best;
}

// The scale of these weights; 0 when all are zero.
float scale_of(const ScaledWeights& weights, const TensorScheme& scheme) {
  const float largest = weights.largest();
  if (largest == 0) return 0.0f;
  const auto limit = static_cast<float>(weight_limit(scheme));
  return scheme.algorithm == Algorithm::Mse ? best_scale(weights, largest, limit) : largest / limit;
}

// Rows of zeros get the largest scale of the other rows, or 1 if there is none. The bias of a channel is a multiple of
// its scale, so a scale that is much larger than those of other channels would make the bias inaccurate.
void set_scales_of_zeros(std::vector<float>& scales) {
  const float largest = *std::max_element(scales.begin(), scales.end());
  for (float& scale : scales)
    if (scale == 0.0f) scale = largest > 0.0f ? largest : 1.0f;
}

}  // namespace

int weight_limit(const TensorScheme& scheme) { return (1 << (scheme.bits - 1)) - 1; }

WeightMatrix::WeightMatrix(const std::vector<float>& values, WeightLayout layout) : layout_(std::move(layout)) {
  const Shape& shape = layout_.shape;
  order_ = layout_.output_axes;
  for (const std::size_t axis : layout_.output_axes) rows_ *= shape[axis];
  for (const std::size_t axis : layout_.input_axes) {
    inputs_ *= shape[axis];
    if (contains(layout_.output_axes, axis))
      groups_ *= shape[axis];
    else
      order_.push_back(axis);
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (!contains(order_, axis)) {
      order_.push_back(axis);
      taps_ *= shape[axis];
    }
  columns_ = rows_ == 0 ? 0 : values.size() / rows_;
  values_.resize(values.size());
  for_each_place(shape, order_, [&](std::size_t i, std::size_t place) { values_[i] = values[place]; });
}

void WeightMatrix::release() {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  const bool large = values_.size() >= kLarge;
  values_ = std::vector<float>();
  // The C library keeps freed blocks of a few megabytes. Over all ops this would add up to the size of the model.
  if (large) ::malloc_trim(0);
}

std::vector<std::int8_t> WeightMatrix::restored(const std::vector<std::int8_t>& numbers) const {
  std::vector<std::int8_t> result(numbers.size());
  for_each_place(layout_.shape, order_, [&](std::size_t i, std::size_t place) { result[place] = numbers[i]; });
  return result;
}

std::vector<float> WeightMatrix::in_order_of_constant() const {
  std::vector<float> result(values_.size());
  for_each_place(layout_.shape, order_, [&](std::size_t i, std::size_t place) { result[place] = values_[i]; });
  return result;
}

QuantizedRows quantize_rows(const WeightMatrix& matrix, const TensorScheme& scheme,
                            const std::vector<double>& input_powers) {
  QuantizedRows result;
  if (scheme.granularity == Granularity::PerTensor)
    result.scales = {scale_of({matrix, 0, matrix.rows(), input_powers}, scheme)};
  else
    for (std::size_t row = 0; row < matrix.rows(); ++row)
      result.scales.push_back(scale_of({matrix, row, row + 1, input_powers}, scheme));
  if (!result.scales.empty()) set_scales_of_zeros(result.scales);

  const auto limit = static_cast<float>(weight_limit(scheme));
  result.values.resize(matrix.rows() * matrix.columns());
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    const float scale = result.scale(row);
    const float* from = matrix.row(row);
    std::int8_t* to = result.values.data() + row * matrix.columns();
    for (std::size_t i = 0; i < matrix.columns(); ++i)
      to[i] = static_cast<std::int8_t>(std::clamp(std::nearbyint(from[i] / scale), -limit, limit));
  }
  return result;
}

QuantizedWeights in_order_of_constant(const WeightMatrix& matrix, const QuantizedRows& rows) {
  const WeightLayout& layout = matrix.layout();
  QuantizedWeights result{matrix.restored(rows.values), rows.scales, Shape(layout.shape.size(), 1)};
  if (rows.scales.size() == matrix.rows())
    for (const std::size_t axis : layout.output_axes) result.scale_shape[axis] = layout.shape[axis];
  return result;
}

QuantizedWeights quantize_weights(const std::vector<float>& weights, const Shape& shape,
                                  const std::vector<std::size_t>& channel_axes, const TensorScheme& scheme) {
  const WeightMatrix matrix(weights, {shape, channel_axes});
  return in_order_of_constant(matrix, quantize_rows(matrix, scheme));
}

void multiply_inputs(WeightMatrix& weights, const std::vector<float>& factors) {
  for (std::size_t row = 0; row < weights.rows(); ++row)
    for (std::size_t i = 0; i < weights.columns(); ++i)
      weights.row(row)[i] *= factors[weights.first_input(row) + i / weights.taps()];
}

void divide_outputs(WeightMatrix& weights, const std::vector<float>& divisors) {
  for (std::size_t row = 0; row < weights.rows(); ++row)
    for (std::size_t i = 0; i < weights.columns(); ++i) weights.row(row)[i] /= divisors[row];
}

}  // namespace lpot
