#include "lpot/data/nan_check.h"

#include <algorithm>
#include <cmath>

#include "lpot/core/multiversion.h"

namespace lpot {
namespace {

// Does not stop at the first NaN, so that the compiler can use SIMD. Almost all data contain no NaN.
LPOT_FOR_EVERY_CPU bool has_nan_among(const float* values, std::size_t count) {
  int found = 0;
  for (std::size_t i = 0; i < count; ++i) found |= values[i] != values[i];
  return found != 0;
}

bool has_nan(const Tensor& tensor) {
  if (is_integer_type(tensor.element_type())) return false;
  if (tensor.element_type() == ElementType::F32) return has_nan_among(tensor.data<float>(), tensor.size());
  for (std::size_t i = 0; i < tensor.size(); ++i)
    if (std::isnan(tensor.value_at(i))) return true;
  return false;
}

}  // namespace

std::vector<NanInput> find_nans(const std::vector<Tensor>& inputs) {
  std::vector<NanInput> found;
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const Tensor& tensor = inputs[input];
    if (tensor.shape().empty() || !has_nan(tensor)) continue;
    for (std::size_t row = 0; row < tensor.shape()[0]; ++row) {
      const bool known = std::any_of(found.begin(), found.end(), [&](const NanInput& nan) { return nan.row == row; });
      if (!known && has_nan(tensor.slice(row))) found.push_back({row, input});
    }
  }
  std::sort(found.begin(), found.end(), [](const NanInput& a, const NanInput& b) { return a.row < b.row; });
  return found;
}

}  // namespace lpot
