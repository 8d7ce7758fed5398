// The preprocessing of VGG and ResNet: resizes the shorter side to resize_side with bilinear interpolation without
// anti-aliasing, then crops. LPOT has two variants of the last step:
//   TensorFlow: (x - mean) * scale of values in 0..255, channels last.
//   ONNX Runtime: (x / 255 - mean) / std, channels first. It is used if std_value is given, or if the means are for
//   values in 0..1 (none above 1, not all 0). The default of std_value is then 0.229, 0.224, 0.225.
#include <algorithm>
#include <cmath>

#include "lpot/data/transforms/flip.h"
#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/imagenet.h"
#include "lpot/data/transforms/kinds.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace {

constexpr const char* kResizeCropName = "ResizeCropImagenet";

struct ResizeCropOptions {
  std::size_t height = 0, width = 0, resize_side = 256;
  bool random_crop = false, random_flip = false;
  bool for_onnx = false;
  Shift shift;
};

// Resizes the shorter side to `side`.
Tensor resize(const Tensor& image, const ImageLayout& layout, std::size_t side) {
  const double scale = static_cast<double>(side) / static_cast<double>(std::min(layout.height, layout.width));
  const auto scaled = [&](std::size_t length) {
    return static_cast<std::size_t>(std::nearbyint(static_cast<double>(length) * scale));
  };
  return resample(image, layout, scaled(layout.height), scaled(layout.width), Interpolation::PlainBilinear);
}

Area find_window(const Shape& shape, const ResizeCropOptions& options, RandomGenerator& random) {
  Area window{0, 0, options.height, options.width};
  if (shape[0] < options.height || shape[1] < options.width) return window;  // crop() throws
  const std::size_t rows = shape[0] - options.height, columns = shape[1] - options.width;
  window.top = options.random_crop ? random.below(rows + 1) : rows / 2;
  window.left = options.random_crop ? random.below(columns + 1) : columns / 2;
  return window;
}

Tensor channels_first(const Tensor& image) {
  const std::size_t pixels = image.shape()[0] * image.shape()[1], channels = image.shape()[2];
  Tensor result = Tensor::uninitialized(ElementType::F32, {channels, image.shape()[0], image.shape()[1]});
  auto* to = result.data<float>();
  for (std::size_t channel = 0; channel < channels; ++channel)
    for (std::size_t i = 0; i < pixels; ++i) *to++ = image.data<float>()[i * channels + channel];
  return result;
}

Tensor resize_crop(const Tensor& image, const ResizeCropOptions& options, RandomGenerator& random) {
  ImageLayout layout = image_layout(image, kResizeCropName);
  const Tensor resized = resize(float_image(image, layout, kResizeCropName), layout, options.resize_side);
  layout.height = resized.shape()[0];
  layout.width = resized.shape()[1];
  Tensor part = crop(resized, layout, find_window(resized.shape(), options, random), kResizeCropName);
  layout.height = options.height;
  layout.width = options.width;
  if (options.random_flip && random.coin()) part = flip_left_right(part, layout);
  if (options.for_onnx)
    for (std::size_t i = 0; i < part.size(); ++i) part.data<float>()[i] /= 255.0f;
  apply(options.shift, part, kResizeCropName);
  return options.for_onnx ? channels_first(part) : part;
}

bool are_of_unit_range(const std::vector<float>& means) {
  const auto [least, greatest] = std::minmax_element(means.begin(), means.end());
  return *least >= 0 && *greatest > 0 && *greatest <= 1;
}

Transform make_resize_crop(const Component& component) {
  const Parameters& given = component.parameters;
  ResizeCropOptions options{
      read_side(component, "height"), read_side(component, "width"),        read_side(component, "resize_side"),
      given.flag("random_crop"),      given.flag("random_flip_left_right"), false,
      read_shift(component)};
  options.for_onnx = given.has("std_value") || are_of_unit_range(options.shift.mean);
  if (options.for_onnx) options.shift.deviation = {0.229f, 0.224f, 0.225f};
  if (given.has("std_value")) {
    const std::vector<double>& deviation = given.numbers("std_value");
    if (deviation.empty() || *std::min_element(deviation.begin(), deviation.end()) <= 0)
      throw config_error(component, "std_value: found 0 or a negative number; expected positive numbers");
    options.shift.deviation.assign(deviation.begin(), deviation.end());
  }
  return at_random(component, [options](const Tensor& image, RandomGenerator& random) {
    return resize_crop(image, options, random);
  });
}

Parameter flag(const std::string& name, const std::string& summary) {
  return {.name = name, .kind = ValueKind::Flag, .default_value = "false", .summary = summary};
}

}  // namespace

TransformKind resize_crop_imagenet_transform() {
  return {
      {.name = kResizeCropName,
       .summary = "resizes the shorter side without anti-aliasing, crops the center, then (x - mean) * scale",
       .parameters = {{.name = "height", .kind = ValueKind::Integer, .required = true, .summary = "of the crop"},
                      {.name = "width", .kind = ValueKind::Integer, .required = true, .summary = "of the crop"},
                      flag("random_crop", "crop at a random position instead of the center"),
                      {.name = "resize_side",
                       .kind = ValueKind::Integer,
                       .default_value = "256",
                       .summary = "length of the shorter side before the crop"},
                      flag("random_flip_left_right", "mirror left and right with probability 0.5"),
                      {.name = "mean_value",
                       .kind = ValueKind::NumberList,
                       .default_value = "[0.0, 0.0, 0.0]",
                       .summary = "one mean per channel, of values in 0..255; means of values in 0..1 imply std_value"},
                      {.name = "scale", .kind = ValueKind::Number, .default_value = "1.0", .summary = "factor"},
                      {.name = "std_value",
                       .kind = ValueKind::NumberList,
                       .summary = "one per channel: selects (x / 255 - mean) / std and channels first"}}},
      make_resize_crop};
}

}  // namespace lpot
