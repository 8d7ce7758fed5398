// Between our tensors and OpenVINO's.
#pragma once
#include <openvino/runtime/tensor.hpp>

#include "lpot/core/tensor.h"

namespace lpot {

ov::element::Type to_ov(ElementType);
ElementType from_ov(const ov::element::Type&);  // throws ModelError for types that no data can have
ov::Tensor to_ov_tensor(const Tensor&);         // shares the memory, which must stay alive while it is used
Tensor copy_from_ov(const ov::Tensor&);
Tensor borrow_from_ov(const ov::Tensor&);  // its memory, which the next inference may change

}  // namespace lpot
