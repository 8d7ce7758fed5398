// (x - mean) / std per channel, as in torchvision. A single mean applies to all channels. Otherwise the channel
// dimension is the one with as many elements as means; transform.h has the rule if both match.
#include "lpot/core/multiversion.h"
#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

struct Channels {
  std::vector<float> mean;
  std::vector<float> deviation;
};

enum class Side { First, Last };

Side channel_side(const Tensor& image, std::size_t channels) {
  const Shape& shape = image.shape();
  const bool first = shape.size() == 3 && shape[0] == channels;
  const bool last = shape.size() == 3 && shape[2] == channels;
  if (!first && !last)
    throw DataError("Normalize", fmt::format("got {}, expected an image with {} channels, one per mean",
                                             image.describe(), channels));
  return first && (!last || !is_integer_type(image.element_type())) ? Side::First : Side::Last;
}

// Normalizes contiguous values with one mean.
LPOT_FOR_EVERY_CPU void normalize_run(float* values, std::size_t count, float mean, float deviation) {
  for (std::size_t i = 0; i < count; ++i) values[i] = (values[i] - mean) / deviation;
}

void normalize_pixels(float* values, std::size_t pixels, const Channels& channels) {
  const std::size_t count = channels.mean.size();
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t channel = 0; channel < count; ++channel, ++values)
      *values = (*values - channels.mean[channel]) / channels.deviation[channel];
}

Tensor normalize(Tensor image, const Channels& channels) {
  const std::size_t count = channels.mean.size();
  const Side side = count == 1 ? Side::First : channel_side(image, count);
  Tensor result = changeable_floats(std::move(image));
  const std::size_t pixels = result.size() / count;
  if (side == Side::Last) {
    normalize_pixels(result.data<float>(), pixels, channels);
    return result;
  }
  for (std::size_t channel = 0; channel < count; ++channel)
    normalize_run(result.data<float>() + channel * pixels, pixels, channels.mean[channel], channels.deviation[channel]);
  return result;
}

Transform make_normalize(const Component& component) {
  const std::vector<double>& mean = component.parameters.numbers("mean");
  const std::vector<double>& deviation = component.parameters.numbers("std");
  if (mean.empty() || mean.size() != deviation.size())
    throw config_error(component, fmt::format("{} means and {} stds; expected equal numbers, one per channel",
                                              mean.size(), deviation.size()));
  for (const double value : deviation)
    if (!(value > 0)) throw config_error(component, fmt::format("std: expected positive numbers, got {}", value));
  const Channels channels{{mean.begin(), mean.end()}, {deviation.begin(), deviation.end()}};
  return on_first_input(component, [channels](Tensor image) { return normalize(std::move(image), channels); });
}

}  // namespace

TransformKind normalize_transform() {
  return {{.name = "Normalize",
           .summary = "(x - mean) / std per channel, as f32",
           .parameters = {{.name = "mean",
                           .kind = ValueKind::NumberList,
                           .default_value = "[0.0]",
                           .summary = "one for all channels or one for each"},
                          {.name = "std",
                           .kind = ValueKind::NumberList,
                           .default_value = "[1.0]",
                           .summary = "one for all channels or one for each"}}},
          make_normalize};
}

}  // namespace lpot
