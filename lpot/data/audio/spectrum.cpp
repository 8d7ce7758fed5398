#include "lpot/data/audio/spectrum.h"

#include <array>
#include <cmath>
#include <numbers>

namespace lpot {
namespace {

constexpr std::size_t kSmallRadix = 16;  // larger prime factors use the heap

std::size_t smallest_factor(std::size_t number) {
  for (std::size_t factor = 2; factor * factor <= number; ++factor)
    if (number % factor == 0) return factor;
  return number;
}

}  // namespace

// Every `stride`-th value from `first`.
struct FourierTransform::Input {
  std::span<const double> values;
  std::size_t first = 0, stride = 1;
};

FourierTransform::FourierTransform(std::size_t length) : length_(length) {
  for (std::size_t k = 0; k < length; ++k)
    roots_.push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length)));
}

std::vector<double> FourierTransform::power(std::span<const double> values) const {
  std::vector<Complex> coefficients(length_);
  transform({values}, coefficients.data(), length_);
  std::vector<double> result;
  for (std::size_t k = 0; k < length_ / 2 + 1; ++k) result.push_back(std::norm(coefficients[k]));
  return result;
}

// Cooley and Tukey: transforms of every radix-th value, combined by a transform of length radix.
void FourierTransform::transform(const Input& input, Complex* result, std::size_t length) const {
  if (length == 1) {
    result[0] = input.values[input.first];
    return;
  }
  const std::size_t radix = smallest_factor(length), part = length / radix;
  for (std::size_t r = 0; r < radix; ++r)
    transform({input.values, input.first + r * input.stride, input.stride * radix}, result + r * part, part);
  std::array<Complex, kSmallRadix> few;
  std::vector<Complex> many(radix > kSmallRadix ? radix : 0);
  Complex* const terms = radix > kSmallRadix ? many.data() : few.data();
  const std::size_t step = length_ / length;
  for (std::size_t k = 0; k < part; ++k) {
    for (std::size_t r = 0; r < radix; ++r) terms[r] = result[r * part + k] * roots_[r * k * step];
    for (std::size_t q = 0; q < radix; ++q) {
      Complex sum = terms[0];
      for (std::size_t r = 1; r < radix; ++r) sum += terms[r] * roots_[r * q * part % length * step];
      result[q * part + k] = sum;
    }
  }
}

}  // namespace lpot
