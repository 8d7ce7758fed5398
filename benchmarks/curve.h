// Measures the time or memory of a piece of work at several sizes, and prints it as a row of a table with the exponent
// of the growth.
//
//   print_head("ops", {250, 500});
//   Curve load("load", "s");
//   load.add(250, seconds_of([&] { ... }));
//   load.print();
#pragma once
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lpot {

// CPU time of all threads of this process. Other programs on the machine do not count.
inline double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double seconds_of(const std::function<void()>& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

inline double median_seconds_of(const std::function<void()>& work) {
  constexpr std::size_t kRuns = 9;
  std::vector<double> seconds;
  work();
  for (std::size_t i = 0; i < kRuns; ++i) seconds.push_back(seconds_of(work));
  std::nth_element(seconds.begin(), seconds.begin() + kRuns / 2, seconds.end());
  return seconds[kRuns / 2];
}

inline double bytes_in_use() { return static_cast<double>(::mallinfo2().uordblks); }

// One part of the work, with its measurement at each size.
class Curve {
 public:
  Curve(std::string name, std::string unit) : name_(std::move(name)), unit_(std::move(unit)) {}
  void add(double size, double value) { points_.emplace_back(size, value); }

  // The slope of the logarithms, by least squares.
  double exponent() const {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [size, value] : points_) {
      const double a = std::log(size), b = std::log(std::max(value, 1e-9));
      n += 1, x += a, y += b, xx += a * a, xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
  }

  void print() const {
    fmt::print("| {} |", name_);
    for (const auto& [size, value] : points_) fmt::print(" {:.4g} |", value);
    fmt::print(" {} | {:.2f} |\n", unit_, exponent());
    std::fflush(stdout);
  }

 private:
  std::string name_, unit_;
  std::vector<std::pair<double, double>> points_;
};

inline void print_head(const std::string& what, const std::vector<std::size_t>& sizes) {
  fmt::print("\n| {} |", what);
  for (const std::size_t size : sizes) fmt::print(" {} |", size);
  fmt::print(" | exponent |\n|---|");
  for (std::size_t i = 0; i < sizes.size(); ++i) fmt::print("---|");
  fmt::print("---|---|\n");
}

}  // namespace lpot
