// Converts between lpot and OpenVINO tensors.
#pragma once
#include <openvino/runtime/tensor.hpp>

#include "lpot/core/tensor.h"

namespace lpot {

ov::element::Type to_ov(ElementType);
ElementType from_ov(const ov::element::Type&);  // throws ModelError for types that Tensor does not support
ov::Tensor to_ov_tensor(const Tensor&);         // shares the memory, which must outlive the result
Tensor copy_from_ov(const ov::Tensor&);
Tensor borrow_from_ov(const ov::Tensor&);  // shares the memory, which the next inference may overwrite

}  // namespace lpot
