#include "lpot/quantize/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lpot {
namespace {

bool contains(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// For every number of an array whose dimensions are taken in this order, its place in the array as it is.
std::vector<std::size_t> places(const Shape& shape, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
  std::vector<std::size_t> found{0};
  for (const std::size_t axis : order) {
    std::vector<std::size_t> next;
    next.reserve(found.size() * shape[axis]);
    for (const std::size_t place : found)
      for (std::size_t i = 0; i < shape[axis]; ++i) next.push_back(place + i * strides[axis]);
    found = std::move(next);
  }
  return found;
}

double squared_error(const float* values, std::size_t count, float scale, float limit) {
  double error = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float level = std::clamp(std::nearbyint(values[i] / scale), -limit, limit);
    const double difference = static_cast<double>(values[i] - level * scale);
    error += difference * difference;
  }
  return error;
}

// The share of the largest magnitude that loses least when the rest is clipped.
float best_scale(const float* values, std::size_t count, float largest, float limit) {
  constexpr int kSteps = 20;  // down to a half
  float best = largest / limit;
  double least = squared_error(values, count, best, limit);
  for (int step = 1; step <= kSteps; ++step) {
    const float scale = largest * (1.0f - 0.5f * static_cast<float>(step) / kSteps) / limit;
    const double error = squared_error(values, count, scale, limit);
    if (error >= least) continue;
    least = error;
    best = scale;
  }
  return best;
}

// The scale of these numbers; one that divides when all are zero.
float scale_of(const float* values, std::size_t count, const TensorScheme& scheme) {
  float largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(values[i]));
  if (largest == 0) return 1.0f;
  const auto limit = static_cast<float>(weight_limit(scheme));
  return scheme.algorithm == Algorithm::Mse ? best_scale(values, count, largest, limit) : largest / limit;
}

}  // namespace

int weight_limit(const TensorScheme& scheme) { return (1 << (scheme.bits - 1)) - 1; }

WeightMatrix::WeightMatrix(const std::vector<float>& values, WeightLayout layout) : layout_(std::move(layout)) {
  const Shape& shape = layout_.shape;
  std::vector<std::size_t> order = layout_.output_axes;
  for (const std::size_t axis : layout_.output_axes) rows_ *= shape[axis];
  for (const std::size_t axis : layout_.input_axes) {
    inputs_ *= shape[axis];
    if (contains(layout_.output_axes, axis))
      groups_ *= shape[axis];
    else
      order.push_back(axis);
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (!contains(order, axis)) {
      order.push_back(axis);
      taps_ *= shape[axis];
    }
  columns_ = rows_ == 0 ? 0 : values.size() / rows_;
  source_ = places(shape, order);
  values_.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values_[i] = values[source_[i]];
}

std::vector<std::int8_t> WeightMatrix::restored(const std::vector<std::int8_t>& numbers) const {
  std::vector<std::int8_t> result(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) result[source_[i]] = numbers[i];
  return result;
}

QuantizedRows quantize_rows(const WeightMatrix& matrix, const TensorScheme& scheme) {
  QuantizedRows result;
  if (scheme.granularity == Granularity::PerTensor)
    result.scales = {scale_of(matrix.row(0), matrix.rows() * matrix.columns(), scheme)};
  else
    for (std::size_t row = 0; row < matrix.rows(); ++row)
      result.scales.push_back(scale_of(matrix.row(row), matrix.columns(), scheme));

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

}  // namespace lpot
