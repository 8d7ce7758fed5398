#include "lpot/metrics/embeddings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "lpot/core/multiversion.h"

namespace lpot {
namespace {

constexpr std::size_t kTile = 256;  // rows whose sums fit into the first-level cache
constexpr float kNone = -std::numeric_limits<float>::infinity();

// Rows `first` to `first + kTile`, transposed so that the inner loop runs over rows. Missing rows are zeros.
std::vector<float> transposed_tile(const EmbeddingRows& rows, std::size_t first) {
  std::vector<float> tile(rows.size * kTile, 0.0f);
  const std::size_t last = std::min(first + kTile, rows.count());
  for (std::size_t row = first; row < last; ++row)
    for (std::size_t i = 0; i < rows.size; ++i) tile[i * kTile + (row - first)] = rows.values[row * rows.size + i];
  return tile;
}

// Every sum has the same order of terms, so the product of two rows does not depend on the tiles.
LPOT_FOR_EVERY_CPU void multiply_tile(std::span<const float> row, const float* tile, float* sums) {
  std::fill(sums, sums + kTile, 0.0f);
  for (const float value : row) {
    for (std::size_t j = 0; j < kTile; ++j) sums[j] += value * tile[j];
    tile += kTile;
  }
}

std::vector<std::uint32_t> rows_at_least(std::span<const float> cosines, float least) {
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < cosines.size(); ++i)
    if (cosines[i] >= least && cosines[i] > kNone) found.push_back(static_cast<std::uint32_t>(i));
  return found;
}

}  // namespace

double cosine(std::span<const double> a, std::span<const double> b) {
  long double product = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += static_cast<long double>(a[i]) * b[i];
    of_a += static_cast<long double>(a[i]) * a[i];
    of_b += static_cast<long double>(b[i]) * b[i];
  }
  if (!std::isfinite(of_a) || !std::isfinite(of_b)) return std::numeric_limits<double>::quiet_NaN();
  if (of_a == 0 || of_b == 0) return of_a == of_b ? 1 : 0;
  return std::clamp(static_cast<double>(product / (std::sqrt(of_a) * std::sqrt(of_b))), -1.0, 1.0);
}

void EmbeddingRows::add(std::span<const double> embedding) {
  long double squares = 0;
  for (const double value : embedding) squares += static_cast<long double>(value) * value;
  const auto length = squares == 0 ? 1.0 : static_cast<double>(std::sqrt(squares));
  for (const double value : embedding) values.push_back(static_cast<float>(value / length));
}

void EmbeddingRows::add(const EmbeddingRows& other) {
  values.insert(values.end(), other.values.begin(), other.values.end());
}

std::vector<std::vector<std::uint32_t>> neighbors(const EmbeddingRows& rows, RowRange range, std::size_t k) {
  const std::size_t count = rows.count(), width = (count + kTile - 1) / kTile * kTile;
  std::vector<float> cosines(range.count * width);
  for (std::size_t first = 0; first < count; first += kTile) {
    const std::vector<float> tile = transposed_tile(rows, first);
    for (std::size_t i = 0; i < range.count; ++i) {
      const float* row = rows.values.data() + (range.first + i) * rows.size;
      multiply_tile({row, rows.size}, tile.data(), cosines.data() + i * width + first);
    }
  }
  std::vector<std::vector<std::uint32_t>> found;
  std::vector<float> sorted;
  for (std::size_t i = 0; i < range.count; ++i) {
    const std::span<float> of_row(cosines.data() + i * width, count);
    for (float& value : of_row)
      if (!std::isfinite(value)) value = kNone;
    of_row[range.first + i] = kNone;
    sorted.assign(of_row.begin(), of_row.end());
    const auto kth = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(k, count) - 1);
    std::nth_element(sorted.begin(), kth, sorted.end(), std::greater<>());
    found.push_back(rows_at_least(of_row, *kth));
  }
  return found;
}

}  // namespace lpot
