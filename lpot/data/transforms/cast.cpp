#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

Transform make_cast(const Component& component) {
  const ElementType type = parse_element_type(component.parameters.text("dtype"));
  return on_first_input(component, [type](const Tensor& input) { return input.converted(type); });
}

}  // namespace

TransformKind cast_transform() {
  return {{.name = "Cast",
           .summary = "converts the element type; floats are rounded to integers, and integers saturate",
           .parameters =
               {{.name = "dtype", .kind = ValueKind::Text, .default_value = "float32", .summary = "new element type"}},
           .shorthand = "dtype"},
          make_cast};
}

}  // namespace lpot
