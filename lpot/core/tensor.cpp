#include "lpot/core/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "lpot/core/error.h"

namespace lpot {
namespace {

struct TypeInfo {
  std::string_view name;
  std::string_view long_name;
  std::size_t size;
};

// In the order of ElementType.
constexpr std::array<TypeInfo, 13> kTypes{{{"bool", "boolean", 1},
                                           {"u8", "uint8", 1},
                                           {"i8", "int8", 1},
                                           {"u16", "uint16", 2},
                                           {"i16", "int16", 2},
                                           {"u32", "uint32", 4},
                                           {"i32", "int32", 4},
                                           {"u64", "uint64", 8},
                                           {"i64", "int64", 8},
                                           {"f16", "float16", 2},
                                           {"bf16", "bfloat16", 2},
                                           {"f32", "float32", 4},
                                           {"f64", "float64", 8}}};

const TypeInfo& info(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t bits =
      exponent == 31 ? (0x7f800000u | (mantissa << 13)) : (((exponent + 112) << 23) | (mantissa << 13));
  return std::bit_cast<float>(sign | bits);
}

std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00u;
  if (magnitude >= 65520.0f) return sign | 0x7c00u;
  if (magnitude < std::ldexp(1.0f, -14))
    return sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  // Rounds the mantissa to nearest even. A carry correctly increments the exponent.
  const std::uint32_t rounded = (bits & 0x7fffffffu) + 0xfffu + ((bits >> 13) & 1u);
  return sign | static_cast<std::uint16_t>((rounded >> 13) - (112u << 10));
}

float bfloat_to_float(std::uint16_t value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16); }

std::uint16_t float_to_bfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Calls `function` with a value of the C++ type that holds `type` (bool as uint8, the short floats as uint16).
template <typename Function>
auto dispatch(ElementType type, Function&& function) {
  switch (type) {
    case ElementType::Bool:
    case ElementType::U8:
      return function(std::uint8_t{});
    case ElementType::I8:
      return function(std::int8_t{});
    case ElementType::U16:
      return function(std::uint16_t{});
    case ElementType::I16:
      return function(std::int16_t{});
    case ElementType::U32:
      return function(std::uint32_t{});
    case ElementType::I32:
      return function(std::int32_t{});
    case ElementType::U64:
      return function(std::uint64_t{});
    case ElementType::I64:
      return function(std::int64_t{});
    case ElementType::F16:
    case ElementType::BF16:
      return function(std::uint16_t{});
    case ElementType::F32:
      return function(float{});
    case ElementType::F64:
      return function(double{});
  }
  throw DataError("tensor", "unknown element type");
}

template <typename To, typename From>
To cast_value(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    if (std::isnan(value)) return To{0};
    const double rounded = std::nearbyint(static_cast<double>(value));
    if (rounded <= static_cast<double>(std::numeric_limits<To>::lowest())) return std::numeric_limits<To>::lowest();
    if (rounded >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(rounded);
  } else {
    if (std::cmp_less(value, std::numeric_limits<To>::lowest())) return std::numeric_limits<To>::lowest();
    if (std::cmp_greater(value, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  }
}

bool is_short_float(ElementType type) { return type == ElementType::F16 || type == ElementType::BF16; }

// The deleter of memory that tensors allocate. is_sole_owner uses it to recognize such memory.
struct OwnMemory {
  void operator()(void* memory) const { delete[] static_cast<std::byte*>(memory); }
};

Tensor widen_short_float(const Tensor& source) {
  Tensor wide = Tensor::uninitialized(ElementType::F32, source.shape());
  const auto* from = reinterpret_cast<const std::uint16_t*>(source.bytes());
  const auto widen = source.element_type() == ElementType::F16 ? half_to_float : bfloat_to_float;
  std::transform(from, from + source.size(), wide.data<float>(), widen);
  return wide;
}

}  // namespace

std::size_t element_size(ElementType type) { return info(type).size; }
std::string_view to_string(ElementType type) { return info(type).name; }
std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t dimension : shape) count *= dimension;
  return count;
}

ElementType parse_element_type(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (name == kTypes[i].name || name == kTypes[i].long_name) return static_cast<ElementType>(i);
  if (name == "float") return ElementType::F32;
  if (name == "double") return ElementType::F64;
  if (name == "int") return ElementType::I64;
  throw ConfigError("element type",
                    fmt::format("unknown element type '{}'; expected a type such as float32, int64 or uint8", name));
}

Tensor::Tensor(ElementType type, Shape shape) : type_(type), shape_(std::move(shape)) {
  bytes_ = std::shared_ptr<void>(new std::byte[std::max<std::size_t>(byte_size(), 1)](), OwnMemory{});
}

Tensor::Tensor(ElementType type, Shape shape, std::shared_ptr<void> bytes)
    : type_(type), shape_(std::move(shape)), bytes_(std::move(bytes)) {}

Tensor Tensor::uninitialized(ElementType type, Shape shape) {
  Tensor tensor(type, std::move(shape), nullptr);
  tensor.bytes_ = std::shared_ptr<void>(new std::byte[std::max<std::size_t>(tensor.byte_size(), 1)], OwnMemory{});
  return tensor;
}

bool Tensor::is_sole_owner() const { return bytes_.use_count() == 1 && std::get_deleter<OwnMemory>(bytes_) != nullptr; }

std::string Tensor::describe() const { return fmt::format("{} {}", to_string(type_), to_string(shape_)); }

void Tensor::check(ElementType wanted) const {
  if (type_ != wanted)
    throw DataError("tensor", fmt::format("expected elements of {}, got {}", to_string(wanted), describe()));
}

void Tensor::check_count(std::size_t values) const {
  if (values != size()) throw DataError("tensor", fmt::format("got {} values for a tensor of {}", values, describe()));
}

Tensor Tensor::reshaped(Shape shape) const {
  if (element_count(shape) != size())
    throw DataError("reshape", fmt::format("cannot reshape {} to {}; the number of elements differs", describe(),
                                           to_string(shape)));
  return Tensor(type_, std::move(shape), bytes_);
}

Tensor Tensor::slice(std::size_t row) const {
  if (shape_.empty() || row >= shape_[0])
    throw DataError("slice", fmt::format("row {} of {} does not exist", row, describe()));
  Shape rest(shape_.begin() + 1, shape_.end());
  const std::size_t offset = row * element_count(rest) * element_size(type_);
  return Tensor(type_, std::move(rest), std::shared_ptr<void>(bytes_, static_cast<std::byte*>(bytes_.get()) + offset));
}

Tensor Tensor::converted(ElementType type) const {
  if (type == type_) return *this;
  if (is_short_float(type_)) return widen_short_float(*this).converted(type);
  Tensor result = uninitialized(type, shape_);
  dispatch(type_, [&](auto from_tag) {
    using From = decltype(from_tag);
    const auto* from = reinterpret_cast<const From*>(bytes());
    if (is_short_float(type)) {
      const auto narrow = type == ElementType::F16 ? float_to_half : float_to_bfloat;
      std::transform(from, from + size(), reinterpret_cast<std::uint16_t*>(result.bytes()),
                     [&](From value) { return narrow(static_cast<float>(value)); });
    } else if (type == ElementType::Bool) {
      std::transform(from, from + size(), reinterpret_cast<std::uint8_t*>(result.bytes()),
                     [](From value) { return static_cast<std::uint8_t>(value != From{0}); });
    } else {
      dispatch(type, [&](auto to_tag) {
        using To = decltype(to_tag);
        std::transform(from, from + size(), reinterpret_cast<To*>(result.bytes()), cast_value<To, From>);
      });
    }
  });
  return result;
}

double Tensor::value_at(std::size_t index) const {
  const auto* short_value = reinterpret_cast<const std::uint16_t*>(bytes()) + index;
  if (type_ == ElementType::F16) return half_to_float(*short_value);
  if (type_ == ElementType::BF16) return bfloat_to_float(*short_value);
  return dispatch(
      type_, [&](auto tag) { return static_cast<double>(reinterpret_cast<const decltype(tag)*>(bytes())[index]); });
}

Tensor stack(const std::vector<Tensor>& rows) {
  if (rows.empty()) throw DataError("stack", "no tensors to stack");
  const Tensor& first = rows.front();
  Shape shape = first.shape();
  shape.insert(shape.begin(), rows.size());
  Tensor result = Tensor::uninitialized(first.element_type(), std::move(shape));
  std::byte* to = result.bytes();
  for (const Tensor& row : rows) {
    if (row.shape() != first.shape() || row.element_type() != first.element_type())
      throw DataError(
          "stack",
          fmt::format(
              "samples of one batch have different types or shapes: {} and {}. Use batch_size 1 or resize the samples.",
              first.describe(), row.describe()));
    std::memcpy(to, row.bytes(), row.byte_size());
    to += row.byte_size();
  }
  return result;
}

}  // namespace lpot
