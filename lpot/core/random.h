// Random numbers that are the same on every platform. The distributions and shuffles of std are not.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lpot {

// One step of splitmix64. Similar inputs give unrelated outputs.
constexpr std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ull;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

// A number in [0, 1) from the upper 53 bits.
constexpr double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

// A random number generator. Generators with the same seed and different names give different numbers.
class RandomGenerator {
 public:
  RandomGenerator(std::uint64_t seed, std::string_view name);
  double uniform(double low, double high) { return low + (high - low) * unit_interval(next()); }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(uniform(0, static_cast<double>(count))); }
  bool coin() { return next() >> 63 != 0; }

 private:
  std::uint64_t next() { return mix(state_++); }
  std::uint64_t state_;
};

// A permutation of 0..count-1 that depends only on the seed.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed);

}  // namespace lpot
