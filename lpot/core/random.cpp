#include "lpot/core/random.h"

#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace lpot {
namespace {

// Uniform in 0..bound-1. Rejects values of the incomplete last multiple of `bound`, then takes the remainder.
std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kMax - kMax % bound;
  std::uint64_t drawn = generator();
  while (drawn >= limit) drawn = generator();
  return drawn % bound;
}

}  // namespace

RandomGenerator::RandomGenerator(std::uint64_t seed, std::string_view name) : state_(mix(seed)) {
  for (const char letter : name) state_ = mix(state_ ^ static_cast<unsigned char>(letter));
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(seed);
  for (std::size_t last = count; last > 1; --last) std::swap(order[last - 1], order[draw_below(generator, last)]);
  return order;
}

}  // namespace lpot
