// A tensor that shares its bytes: copying one is cheap and both see the same memory.
//
//   Tensor image(ElementType::F32, {3, 32, 32});
//   image.data<float>()[0] = 1.0f;
//
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

enum class ElementType : std::uint8_t { Bool, U8, I8, U16, I16, U32, I32, U64, I64, F16, BF16, F32, F64 };

using Shape = std::vector<std::size_t>;

std::size_t element_size(ElementType);
std::string_view to_string(ElementType);  // "f32", "u8", ...
constexpr bool is_integer_type(ElementType type) { return type < ElementType::F16; }
std::string to_string(const Shape&);      // "[1,3,32,32]"
std::size_t element_count(const Shape&);  // 1 for a scalar

// Parses the name of an element type ("float32", "f32", "uint8", ...). Throws ConfigError for an unknown name.
ElementType parse_element_type(std::string_view name);

template <typename T>
ElementType element_type_of();

class Tensor {
 public:
  Tensor() = default;
  Tensor(ElementType, Shape);                               // zeros
  Tensor(ElementType, Shape, std::shared_ptr<void> bytes);  // shares the given memory

  static Tensor uninitialized(ElementType, Shape);  // for tensors whose values are all written afterwards
  template <typename T>
  static Tensor from(Shape shape, const std::vector<T>& values);
  template <typename T>
  static Tensor scalar(T value) {
    return from<T>({}, {value});
  }

  ElementType element_type() const { return type_; }
  const Shape& shape() const { return shape_; }
  std::size_t size() const { return element_count(shape_); }
  std::size_t byte_size() const { return size() * element_size(type_); }
  bool empty() const { return bytes_ == nullptr; }
  // Whether a Tensor allocated the memory and no other tensor shares it, so that values may be changed in place.
  bool is_sole_owner() const;
  std::string describe() const;  // "f32 [1,3,32,32]"

  std::byte* bytes() { return static_cast<std::byte*>(bytes_.get()); }
  const std::byte* bytes() const { return static_cast<const std::byte*>(bytes_.get()); }

  // Typed access. Throws DataError if T is not the element type.
  template <typename T>
  T* data() {
    check(element_type_of<T>());
    return static_cast<T*>(bytes_.get());
  }
  template <typename T>
  const T* data() const {
    check(element_type_of<T>());
    return static_cast<const T*>(bytes_.get());
  }

  Tensor reshaped(Shape) const;                   // shares the bytes; the new shape must have the same size
  Tensor slice(std::size_t row) const;            // a row of the first dimension; shares the bytes
  Tensor converted(ElementType) const;            // values cast one by one; integers saturate, floats round to nearest
  double value_at(std::size_t flat_index) const;  // any numeric type as double

 private:
  void check(ElementType wanted) const;
  void check_count(std::size_t values) const;

  ElementType type_ = ElementType::F32;
  Shape shape_;
  std::shared_ptr<void> bytes_;
};

// Joins tensors of equal shape along a new first dimension. Throws DataError if the shapes or types differ.
Tensor stack(const std::vector<Tensor>&);

template <>
inline ElementType element_type_of<bool>() {
  return ElementType::Bool;
}
template <>
inline ElementType element_type_of<std::uint8_t>() {
  return ElementType::U8;
}
template <>
inline ElementType element_type_of<std::int8_t>() {
  return ElementType::I8;
}
template <>
inline ElementType element_type_of<std::uint16_t>() {
  return ElementType::U16;
}
template <>
inline ElementType element_type_of<std::int16_t>() {
  return ElementType::I16;
}
template <>
inline ElementType element_type_of<std::uint32_t>() {
  return ElementType::U32;
}
template <>
inline ElementType element_type_of<std::int32_t>() {
  return ElementType::I32;
}
template <>
inline ElementType element_type_of<std::uint64_t>() {
  return ElementType::U64;
}
template <>
inline ElementType element_type_of<std::int64_t>() {
  return ElementType::I64;
}
template <>
inline ElementType element_type_of<float>() {
  return ElementType::F32;
}
template <>
inline ElementType element_type_of<double>() {
  return ElementType::F64;
}

template <typename T>
Tensor Tensor::from(Shape shape, const std::vector<T>& values) {
  const ElementType type = element_type_of<T>();
  Tensor tensor = uninitialized(type, std::move(shape));
  tensor.check_count(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) tensor.data<T>()[i] = values[i];
  return tensor;
}

}  // namespace lpot
