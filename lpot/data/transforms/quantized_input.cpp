#include <algorithm>
#include <cmath>

#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

// Fractions are truncated, as in TensorFlow's cast. Values outside the range of the type saturate.
Tensor quantize_input(const Tensor& input, ElementType type, float scale) {
  const float shift = type == ElementType::U8 ? 128.0f : 0.0f;
  const float least = type == ElementType::U8 ? 0.0f : -128.0f;
  const Tensor values = input.converted(ElementType::F32);
  Tensor scaled(ElementType::F32, input.shape());
  for (std::size_t i = 0; i < scaled.size(); ++i)
    scaled.data<float>()[i] = std::clamp(std::trunc(values.data<float>()[i] * scale + shift), least, least + 255.0f);
  return scaled.converted(type);
}

Transform make_quantized_input(const Component& component) {
  const ElementType type = component.parameters.text("dtype") == "uint8" ? ElementType::U8 : ElementType::I8;
  if (!component.parameters.has("scale")) return on_first_input(component, [](const Tensor& input) { return input; });
  const auto scale = static_cast<float>(component.parameters.number("scale"));
  return on_first_input(component, [=](const Tensor& input) { return quantize_input(input, type, scale); });
}

}  // namespace

TransformKind quantized_input_transform() {
  return {{.name = "QuantizedInput",
           .summary = "x * scale (+ 128 for uint8) as integers; without scale, the input is unchanged",
           .parameters = {{.name = "dtype",
                           .kind = ValueKind::Text,
                           .required = true,
                           .summary = "element type",
                           .choices = {"uint8", "int8"}},
                          {.name = "scale", .kind = ValueKind::Number, .summary = "factor"}}},
          make_quantized_input};
}

}  // namespace lpot
