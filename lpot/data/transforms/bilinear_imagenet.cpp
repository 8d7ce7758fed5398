// The preprocessing of Inception: crops the center, resizes with bilinear interpolation without anti-aliasing, scales
// to -1..1 and computes (x - mean) * scale.
#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/imagenet.h"
#include "lpot/data/transforms/kinds.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace {

struct BilinearOptions {
  std::size_t height = 0, width = 0;  // 0: unchanged
  double fraction = 0.875;            // 0: no crop
  Shift shift;
};

std::size_t margin(std::size_t side, double fraction) {
  const auto whole = static_cast<double>(side);
  return fraction > 0 ? static_cast<std::size_t>((whole - whole * fraction) / 2) : 0;
}

Tensor bilinear_imagenet(const Tensor& image, const BilinearOptions& options) {
  constexpr const char* kName = "BilinearImagenet";
  ImageLayout layout = image_layout(image, kName);
  const bool bytes = image.element_type() == ElementType::U8;
  const std::size_t top = margin(layout.height, options.fraction), left = margin(layout.width, options.fraction);
  const Tensor part = crop(float_image(image, layout, kName), layout,
                           {top, left, layout.height - 2 * top, layout.width - 2 * left}, kName);
  layout.height -= 2 * top;
  layout.width -= 2 * left;
  const bool resizes = options.height > 0 && options.width > 0;
  const Tensor resized =
      resizes ? resample(part, layout, options.height, options.width, Interpolation::PlainBilinear) : part;
  Tensor result = Tensor::uninitialized(ElementType::F32, resized.shape());
  const float unit = bytes ? 255.0f : 1.0f;
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data<float>()[i] = (resized.data<float>()[i] / unit - 0.5f) * 2.0f;
  apply(options.shift, result, kName);
  return result;
}

Transform make_bilinear_imagenet(const Component& component) {
  const auto side = [&](const std::string& name) {
    return component.parameters.integer(name) == 0 ? 0 : read_side(component, name);
  };
  const BilinearOptions options{side("height"), side("width"), component.parameters.number("central_fraction"),
                                read_shift(component)};
  if (!(options.fraction >= 0 && options.fraction <= 1))
    throw config_error(component, fmt::format("central_fraction: expected 0 to 1, got {}", options.fraction));
  return on_first_input(component, [options](const Tensor& image) { return bilinear_imagenet(image, options); });
}

}  // namespace

TransformKind bilinear_imagenet_transform() {
  return {{.name = "BilinearImagenet",
           .summary = "crops the center, resizes without anti-aliasing, scales to -1..1, then (x - mean) * scale",
           .parameters = {{.name = "height", .kind = ValueKind::Integer, .required = true, .summary = "0: unchanged"},
                          {.name = "width", .kind = ValueKind::Integer, .required = true, .summary = "0: unchanged"},
                          {.name = "central_fraction",
                           .kind = ValueKind::Number,
                           .default_value = "0.875",
                           .summary = "fraction of each side that is kept"},
                          {.name = "mean_value",
                           .kind = ValueKind::NumberList,
                           .default_value = "[0.0, 0.0, 0.0]",
                           .summary = "one mean per channel, of values in -1..1"},
                          {.name = "scale", .kind = ValueKind::Number, .default_value = "1.0", .summary = "factor"}}},
          make_bilinear_imagenet};
}

}  // namespace lpot
