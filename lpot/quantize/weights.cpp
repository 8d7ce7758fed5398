#include "lpot/quantize/weights.h"

#include <algorithm>
#include <cmath>

#include "lpot/quantize/quantize.h"

namespace lpot {
namespace {

// For every element, which scale it belongs to.
class ChannelIndex {
 public:
  ChannelIndex(const Shape& shape, const std::vector<std::size_t>& axes)
      : shape_(shape), axes_(axes), strides_(shape.size(), 1) {
    for (std::size_t i = shape.size(); i > 1; --i) strides_[i - 2] = strides_[i - 1] * shape[i - 1];
  }
  std::size_t operator()(std::size_t flat) const {
    std::size_t channel = 0;
    for (const std::size_t axis : axes_) channel = channel * shape_[axis] + flat / strides_[axis] % shape_[axis];
    return channel;
  }

 private:
  const Shape& shape_;
  const std::vector<std::size_t>& axes_;
  std::vector<std::size_t> strides_;
};

}  // namespace

int weight_limit(const TensorScheme& scheme) { return (1 << (scheme.bits - 1)) - 1; }

QuantizedWeights quantize_weights(const std::vector<float>& weights, const Shape& shape,
                                  const std::vector<std::size_t>& channel_axes, const TensorScheme& scheme) {
  const std::vector<std::size_t> axes =
      scheme.granularity == Granularity::PerChannel ? channel_axes : std::vector<std::size_t>{};
  QuantizedWeights result;
  result.scale_shape.assign(shape.size(), 1);
  for (const std::size_t axis : axes) result.scale_shape[axis] = shape[axis];

  const ChannelIndex channel_of(shape, axes);
  result.scales.assign(element_count(result.scale_shape), 0.0f);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    float& largest = result.scales[channel_of(i)];
    largest = std::max(largest, std::fabs(weights[i]));
  }
  const auto limit = static_cast<float>(weight_limit(scheme));
  // A channel of zeros keeps a scale that divides.
  for (float& scale : result.scales) scale = scale > 0 ? scale / limit : 1.0f;

  result.values.resize(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    result.values[i] =
        static_cast<std::int8_t>(std::clamp(std::nearbyint(weights[i] / result.scales[channel_of(i)]), -limit, limit));
  return result;
}

}  // namespace lpot
