// Transforms of LPOT that have no effect: they convert between the image types of Python libraries, or their work is
// done by the data set.
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

Transform return_unchanged(const Component& component) {
  return on_first_input(component, [](const Tensor& input) { return input; });
}

}  // namespace

TransformKind to_array_transform() {
  return {{.name = "ToArray", .summary = "no effect: images are already arrays"}, return_unchanged};
}

TransformKind to_nd_array_transform() {
  return {{.name = "ToNDArray", .summary = "no effect: images are already arrays"}, return_unchanged};
}

TransformKind parse_decode_imagenet_transform() {
  return {{.name = "ParseDecodeImagenet", .summary = "no effect: the record data sets already decode their images"},
          return_unchanged};
}

}  // namespace lpot
