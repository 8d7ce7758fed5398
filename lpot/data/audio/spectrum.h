// The discrete Fourier transform of any length.
//
//   const FourierTransform transform(400);
//   const std::vector<double> power = transform.power(std::vector<double>(400));   // 201 values
//
#pragma once
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace lpot {

// Mixed radix: fast for lengths with small prime factors, and correct for all.
class FourierTransform {
 public:
  explicit FourierTransform(std::size_t length);

  // The squared absolute values of the first length / 2 + 1 coefficients of real values.
  std::vector<double> power(std::span<const double> values) const;

 private:
  using Complex = std::complex<double>;
  struct Input;
  void transform(const Input&, Complex* result, std::size_t length) const;

  std::size_t length_;
  std::vector<Complex> roots_;  // exp(-2 pi i k / length)
};

}  // namespace lpot
