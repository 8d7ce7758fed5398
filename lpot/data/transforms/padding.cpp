#include "lpot/data/transforms/padding.h"

#include <algorithm>

namespace lpot {
namespace {

Tensor filled(ElementType type, const Shape& shape, double value) {
  Tensor values(ElementType::F32, shape);
  std::fill_n(values.data<float>(), values.size(), static_cast<float>(value));
  return values.converted(type);
}

}  // namespace

Tensor pad(const Tensor& image, const ImageLayout& layout, const Canvas& canvas, double color) {
  Tensor result = filled(image.element_type(), layout.shape(canvas.height, canvas.width), color);
  const std::size_t pixel = pixel_bytes(image, layout);
  const std::byte* from = image.bytes();
  for (std::size_t plane = 0; plane < plane_count(layout); ++plane)
    for (std::size_t row = 0; row < layout.height; ++row, from += layout.width * pixel)
      std::copy_n(from, layout.width * pixel,
                  result.bytes() + ((plane * canvas.height + canvas.top + row) * canvas.width + canvas.left) * pixel);
  return result;
}

Tensor move_boxes(const Tensor& label, const ImageLayout& layout, const Canvas& canvas) {
  const bool boxes =
      !label.empty() && label.element_type() == ElementType::F32 && label.shape().size() == 2 && label.shape()[1] == 7;
  if (!boxes) return label;
  const auto number = [](std::size_t side) { return static_cast<float>(side); };
  Tensor moved(ElementType::F32, label.shape());
  std::copy_n(label.data<float>(), label.size(), moved.data<float>());
  for (std::size_t row = 0; row < label.shape()[0]; ++row)
    for (std::size_t i = 0; i < 4; ++i) {
      float& place = moved.data<float>()[row * 7 + i];
      place = i % 2 == 0 ? (place * number(layout.height) + number(canvas.top)) / number(canvas.height)
                         : (place * number(layout.width) + number(canvas.left)) / number(canvas.width);
    }
  return moved;
}

}  // namespace lpot
