#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

Tensor rescale(const Tensor& image) {
  const Tensor values = image.converted(ElementType::F32);
  Tensor result(ElementType::F32, image.shape());
  const auto* from = values.data<float>();
  auto* to = result.data<float>();
  for (std::size_t i = 0, count = result.size(); i < count; ++i) to[i] = from[i] / 255.0f;
  return result;
}

}  // namespace

TransformKind rescale_transform() {
  return {{.name = "Rescale", .summary = "divides by 255, gives f32"},
          [](const Component& component) { return on_first_input(component, rescale); }};
}

}  // namespace lpot
