#include "lpot/data/transform.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

const std::vector<TransformKind>& transform_kinds() {
  static const std::vector<TransformKind> all{resize_transform(),
                                              center_crop_transform(),
                                              random_crop_transform(),
                                              random_resized_crop_transform(),
                                              random_horizontal_flip_transform(),
                                              random_vertical_flip_transform(),
                                              crop_resize_transform(),
                                              padded_center_crop_transform(),
                                              resize_with_ratio_transform(),
                                              letter_box_transform(),
                                              crop_to_bounding_box_transform(),
                                              resize_crop_imagenet_transform(),
                                              bilinear_imagenet_transform(),
                                              resize_with_aspect_ratio_transform(),
                                              align_image_channel_transform(),
                                              reverse_channels_transform(),
                                              normalize_transform(),
                                              rescale_transform(),
                                              transpose_transform(),
                                              cast_transform(),
                                              to_tensor_transform(),
                                              to_array_transform(),
                                              to_nd_array_transform(),
                                              to_pil_image_transform(),
                                              quantized_input_transform(),
                                              parse_decode_imagenet_transform()};
  return all;
}

}  // namespace

const Table& transforms() {
  static const Table table = table_of(transform_kinds());
  return table;
}

Transform make_transform(const Component& component) {
  return make_component(transform_kinds(), component, "transform");
}

Transform at_random(const Component& component, std::function<Tensor(Tensor, RandomGenerator&)> change) {
  return {component.name,
          [name = component.name, change = std::move(change)](Sample sample, std::uint64_t seed) {
            if (sample.inputs.empty()) throw DataError(name, "the sample has no input; expected at least one");
            RandomGenerator random(seed, name);
            sample.inputs[0] = change(std::move(sample.inputs[0]), random);
            return sample;
          },
          fmt::format("{}({})", component.name, component.parameters.describe())};
}

Transform on_first_input(const Component& component, std::function<Tensor(Tensor)> change) {
  return at_random(component,
                   [change = std::move(change)](Tensor input, RandomGenerator&) { return change(std::move(input)); });
}

}  // namespace lpot
