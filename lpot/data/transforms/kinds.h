// The transforms. Each is in its own file; transforms.cpp lists them.
//
// A new one needs:
// - its file NAME.cpp in this folder, with NAME_transform, which is declared here
// - its row in the table of data/transforms.cpp
// - its test in tests/data/test_transforms.cpp or test_image_transforms.cpp; test_tables.cpp tests all rows of the
// table
// - `build/bin/lpot reference > docs/reference.md`
#pragma once
#include <functional>
#include <vector>

#include "lpot/core/random.h"
#include "lpot/core/registry.h"
#include "lpot/data/transform.h"

namespace lpot {

using TransformKind = Kind<Transform>;

TransformKind align_image_channel_transform();
TransformKind bilinear_imagenet_transform();
TransformKind cast_transform();
TransformKind center_crop_transform();
TransformKind crop_resize_transform();
TransformKind crop_to_bounding_box_transform();
TransformKind letter_box_transform();
TransformKind normalize_transform();
TransformKind padded_center_crop_transform();
TransformKind parse_decode_imagenet_transform();
TransformKind quantized_input_transform();
TransformKind random_crop_transform();
TransformKind random_horizontal_flip_transform();
TransformKind random_resized_crop_transform();
TransformKind random_vertical_flip_transform();
TransformKind rescale_transform();
TransformKind resize_transform();
TransformKind resize_crop_imagenet_transform();
TransformKind resize_with_aspect_ratio_transform();
TransformKind resize_with_ratio_transform();
TransformKind reverse_channels_transform();
TransformKind to_array_transform();
TransformKind to_nd_array_transform();
TransformKind to_pil_image_transform();
TransformKind to_tensor_transform();
TransformKind transpose_transform();

// A transform that replaces the first input of a sample with the result of `change`. The input is moved into `change`.
Transform on_first_input(const Component&, std::function<Tensor(Tensor)> change);

// The same for a change with random numbers, which depend on the seed of the sample and on the name of the transform.
Transform at_random(const Component&, std::function<Tensor(Tensor, RandomGenerator&)> change);

}  // namespace lpot
