#include <fmt/ranges.h>

#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

using Permutation = std::vector<std::size_t>;

// The strides of the result's dimensions in the source.
std::vector<std::size_t> permuted_strides(const Shape& shape, const Permutation& permutation) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  std::vector<std::size_t> result;
  for (const std::size_t dimension : permutation) result.push_back(strides[dimension]);
  return result;
}

template <typename Element>
void copy_permuted(const Tensor& source, Tensor& result, const std::vector<std::size_t>& strides) {
  const auto* from = reinterpret_cast<const Element*>(source.bytes());
  auto* to = reinterpret_cast<Element*>(result.bytes());
  const Shape& shape = result.shape();
  const std::size_t last = shape.size() - 1;
  std::vector<std::size_t> place(shape.size(), 0);
  for (std::size_t rows = result.size() / shape[last]; rows > 0; --rows) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < last; ++i) offset += place[i] * strides[i];
    for (std::size_t i = 0; i < shape[last]; ++i) *to++ = from[offset + i * strides[last]];
    for (std::size_t i = last; i-- > 0;) {
      if (++place[i] < shape[i]) break;
      place[i] = 0;
    }
  }
}

Tensor transpose(const Tensor& source, const Permutation& permutation) {
  if (source.shape().size() != permutation.size())
    throw DataError("Transpose", fmt::format("got {}, expected {} dimensions for perm [{}]", source.describe(),
                                             permutation.size(), fmt::join(permutation, ", ")));
  Shape shape;
  for (const std::size_t dimension : permutation) shape.push_back(source.shape()[dimension]);
  Tensor result = Tensor::uninitialized(source.element_type(), std::move(shape));
  if (result.size() == 0) return result;
  const auto strides = permuted_strides(source.shape(), permutation);
  switch (element_size(source.element_type())) {
    case 1:
      copy_permuted<std::uint8_t>(source, result, strides);
      break;
    case 2:
      copy_permuted<std::uint16_t>(source, result, strides);
      break;
    case 4:
      copy_permuted<std::uint32_t>(source, result, strides);
      break;
    default:
      copy_permuted<std::uint64_t>(source, result, strides);
      break;
  }
  return result;
}

Transform make_transpose(const Component& component) {
  const std::vector<std::int64_t>& given = component.parameters.integers("perm");
  Permutation permutation;
  std::vector<bool> seen(given.size(), false);
  for (const std::int64_t dimension : given) {
    const auto place = static_cast<std::size_t>(dimension);
    if (dimension < 0 || place >= given.size() || seen[place])
      throw config_error(component, fmt::format("perm: expected each of 0..{} once, got [{}]", given.size() - 1,
                                                fmt::join(given, ", ")));
    seen[place] = true;
    permutation.push_back(place);
  }
  if (permutation.empty()) throw config_error(component, "perm: expected a list like [2, 0, 1], got an empty list");
  return on_first_input(component, [permutation](const Tensor& input) { return transpose(input, permutation); });
}

}  // namespace

TransformKind transpose_transform() {
  return {{.name = "Transpose",
           .summary = "reorders the dimensions",
           .parameters = {{.name = "perm",
                           .kind = ValueKind::IntegerList,
                           .required = true,
                           .summary = "input dimension of each output dimension; [2, 0, 1] moves channels first"}},
           .shorthand = "perm"},
          make_transpose};
}

}  // namespace lpot
