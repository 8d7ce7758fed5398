#include "lpot/core/multiversion.h"
#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

LPOT_FOR_EVERY_CPU void divide_by_255(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] /= 255.0f;
}

Tensor rescale(Tensor image) {
  Tensor result = changeable_floats(std::move(image));
  divide_by_255(result.data<float>(), result.size());
  return result;
}

}  // namespace

TransformKind rescale_transform() {
  return {{.name = "Rescale", .summary = "divides by 255, as f32"},
          [](const Component& component) { return on_first_input(component, rescale); }};
}

}  // namespace lpot
