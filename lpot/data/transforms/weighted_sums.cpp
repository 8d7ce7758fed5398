#include "lpot/data/transforms/weighted_sums.h"

#include <algorithm>
#include <array>
#include <cstring>

// Four sums at a time. Function multiversioning (core/multiversion.h) does not help here: g++ 12 does not vectorize
// these loops, or generates slower code.
#if defined(__x86_64__) && defined(__GNUC__)
#include <smmintrin.h>
#define LPOT_HAS_SSE41 1
#define LPOT_SSE41 __attribute__((target("sse4.1")))
#endif

namespace lpot {
namespace {

constexpr std::int32_t kHalf = 1 << (kFractionBits - 1);

std::uint8_t rounded(std::int32_t sum) { return static_cast<std::uint8_t>(std::clamp(sum >> kFractionBits, 0, 255)); }

#if LPOT_HAS_SSE41

bool has_sse41() {
  static const bool has = __builtin_cpu_supports("sse4.1") != 0;
  return has;
}

LPOT_SSE41 inline __m128i load_four(const std::uint8_t* from) {
  std::int32_t bytes = 0;
  std::memcpy(&bytes, from, sizeof bytes);
  return _mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes));
}

// Packing saturates, which clamps to 0..255.
LPOT_SSE41 inline void store_four(__m128i sums, std::uint8_t* to) {
  const __m128i shifted = _mm_srai_epi32(sums, kFractionBits);
  const __m128i words = _mm_packs_epi32(shifted, shifted);
  const std::int32_t bytes = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
  std::memcpy(to, &bytes, sizeof bytes);
}

// Pixels with three channels. Four bytes are read and written at once, so it stops where the fourth byte would exceed
// the row. Returns the number of processed pixels.
LPOT_SSE41 std::size_t sum_colours_along(const PixelRow<std::uint8_t>& row, const FixedTaps& taps, std::uint8_t* to) {
  const std::int32_t* weights = taps.weights.data();
  std::size_t i = 0;
  for (; i + 1 < taps.first.size() && taps.first[i] + taps.count < row.pixels; ++i, weights += taps.count) {
    const std::uint8_t* from = row.values + taps.first[i] * 3;
    __m128i sums = _mm_set1_epi32(kHalf);
    for (std::size_t tap = 0; tap < taps.count; ++tap)
      sums = _mm_add_epi32(sums, _mm_mullo_epi32(load_four(from + tap * 3), _mm_set1_epi32(weights[tap])));
    store_four(sums, to + i * 3);
  }
  return i;
}

// Values in blocks of 16. Returns the number of processed values.
LPOT_SSE41 std::size_t sum_blocks_across(std::span<const std::uint8_t* const> rows, const std::int32_t* weights,
                                         std::span<std::uint8_t> to) {
  std::size_t x = 0;
  for (; x + 16 <= to.size(); x += 16) {
    __m128i first = _mm_set1_epi32(kHalf), second = first, third = first, fourth = first;
    for (std::size_t tap = 0; tap < rows.size(); ++tap) {
      const std::uint8_t* from = rows[tap] + x;
      const __m128i weight = _mm_set1_epi32(weights[tap]);
      first = _mm_add_epi32(first, _mm_mullo_epi32(load_four(from), weight));
      second = _mm_add_epi32(second, _mm_mullo_epi32(load_four(from + 4), weight));
      third = _mm_add_epi32(third, _mm_mullo_epi32(load_four(from + 8), weight));
      fourth = _mm_add_epi32(fourth, _mm_mullo_epi32(load_four(from + 12), weight));
    }
    store_four(first, to.data() + x);
    store_four(second, to.data() + x + 4);
    store_four(third, to.data() + x + 8);
    store_four(fourth, to.data() + x + 12);
  }
  return x;
}

#endif

// The values from `begin` on, in blocks, so that the compiler can vectorize the loops over a block.
template <typename Sum, typename Element, typename Weight, typename Finish>
void sum_rows(std::span<const Element* const> rows, const Weight* weights, std::size_t begin, std::span<Element> to,
              Sum start, Finish finish) {
  constexpr std::size_t kBlock = 64;
  std::array<Sum, kBlock> sums;
  for (std::size_t x = begin; x < to.size(); x += kBlock) {
    const std::size_t block = std::min(kBlock, to.size() - x);
    sums.fill(start);
    for (std::size_t tap = 0; tap < rows.size(); ++tap)
      for (std::size_t i = 0; i < block; ++i) sums[i] += static_cast<Sum>(rows[tap][x + i]) * weights[tap];
    for (std::size_t i = 0; i < block; ++i) to[x + i] = finish(sums[i]);
  }
}

}  // namespace

void sum_along(const PixelRow<std::uint8_t>& row, const FixedTaps& taps, std::uint8_t* to) {
  std::size_t begin = 0;
#if LPOT_HAS_SSE41
  if (row.channels == 3 && has_sse41()) begin = sum_colours_along(row, taps, to);
#endif
  for (std::size_t i = begin; i < taps.first.size(); ++i)
    for (std::size_t channel = 0; channel < row.channels; ++channel) {
      const std::uint8_t* from = row.values + taps.first[i] * row.channels + channel;
      std::int32_t sum = kHalf;
      for (std::size_t tap = 0; tap < taps.count; ++tap) sum += from[tap * row.channels] * taps.weights_of(i)[tap];
      to[i * row.channels + channel] = rounded(sum);
    }
}

void sum_along(const PixelRow<float>& row, const Taps& taps, float* to) {
  for (std::size_t i = 0; i < taps.first.size(); ++i)
    for (std::size_t channel = 0; channel < row.channels; ++channel) {
      const float* from = row.values + taps.first[i] * row.channels + channel;
      double sum = 0;
      for (std::size_t tap = 0; tap < taps.count[i]; ++tap)
        sum += static_cast<double>(from[tap * row.channels]) * taps.weights_of(i)[tap];
      *to++ = static_cast<float>(sum);
    }
}

void sum_across(std::span<const std::uint8_t* const> rows, const std::int32_t* weights, std::span<std::uint8_t> to) {
  std::size_t begin = 0;
#if LPOT_HAS_SSE41
  if (has_sse41()) begin = sum_blocks_across(rows, weights, to);
#endif
  sum_rows(rows, weights, begin, to, kHalf, rounded);
}

void sum_across(std::span<const float* const> rows, const double* weights, std::span<float> to) {
  sum_rows(rows, weights, 0, to, 0.0, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace lpot
