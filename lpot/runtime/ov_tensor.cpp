#include "lpot/runtime/ov_tensor.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <openvino/openvino.hpp>

#include "lpot/core/error.h"

namespace lpot {
namespace {

// In the order of ElementType.
const std::array<ov::element::Type, 13> kTypes{
    ov::element::boolean, ov::element::u8,  ov::element::i8,  ov::element::u16, ov::element::i16,
    ov::element::u32,     ov::element::i32, ov::element::u64, ov::element::i64, ov::element::f16,
    ov::element::bf16,    ov::element::f32, ov::element::f64};

}  // namespace

ov::element::Type to_ov(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

ElementType from_ov(const ov::element::Type& type) {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i] == type) return static_cast<ElementType>(i);
  throw ModelError("tensor", fmt::format("inputs and outputs of type {} are not supported", type.get_type_name()));
}

ov::Tensor to_ov_tensor(const Tensor& tensor) {
  // OpenVINO's constructor takes a mutable pointer but does not write to inputs.
  return ov::Tensor(to_ov(tensor.element_type()), ov::Shape(tensor.shape().begin(), tensor.shape().end()),
                    const_cast<std::byte*>(tensor.bytes()));
}

Tensor borrow_from_ov(const ov::Tensor& source) {
  const ov::Shape shape = source.get_shape();
  const auto owner = std::make_shared<ov::Tensor>(source);
  return {from_ov(source.get_element_type()), Shape(shape.begin(), shape.end()),
          std::shared_ptr<void>(owner, owner->data())};
}

Tensor copy_from_ov(const ov::Tensor& source) {
  const ov::Shape shape = source.get_shape();
  Tensor tensor(from_ov(source.get_element_type()), Shape(shape.begin(), shape.end()));
  std::memcpy(tensor.bytes(), source.data(), tensor.byte_size());
  return tensor;
}

}  // namespace lpot
