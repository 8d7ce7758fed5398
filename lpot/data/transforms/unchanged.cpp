// Transforms of LPOT that change between the image types of Python libraries, or mark what the data set does here.
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

Transform pass_on(const Component& component) {
  return on_first_input(component, [](const Tensor& input) { return input; });
}

}  // namespace

TransformKind to_array_transform() {
  return {{.name = "ToArray", .summary = "leaves the sample as it is: images are arrays here"}, pass_on};
}

TransformKind to_nd_array_transform() {
  return {{.name = "ToNDArray", .summary = "leaves the sample as it is: images are arrays here"}, pass_on};
}

TransformKind parse_decode_imagenet_transform() {
  return {{.name = "ParseDecodeImagenet",
           .summary = "leaves the sample as it is: the record data sets decode their images themselves"},
          pass_on};
}

}  // namespace lpot
