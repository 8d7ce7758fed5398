// The transforms, one a file; transforms.cpp lists them.
#pragma once
#include <functional>
#include <vector>

#include "lpot/core/registry.h"
#include "lpot/data/transform.h"

namespace lpot {

using TransformKind = Kind<Transform>;

TransformKind cast_transform();
TransformKind center_crop_transform();
TransformKind normalize_transform();
TransformKind rescale_transform();
TransformKind resize_transform();
TransformKind to_tensor_transform();
TransformKind transpose_transform();

// Names of LPOT that have no implementation here.
std::vector<TransformKind> unavailable_transforms();

// The transform that replaces a sample's first input by `change` of it.
Transform on_first_input(const Component&, std::function<Tensor(const Tensor&)> change);

}  // namespace lpot
