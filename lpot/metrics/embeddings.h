// Functions that metrics of embeddings share. An embedding is the first output for a sample, with all its values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lpot {

// The cosine of the angle between two vectors of one size, -1..1. 1 if both are zero, 0 if only one is. NaN if a value
// is not finite.
double cosine(std::span<const double>, std::span<const double>);

// Embeddings as unit vectors, one after the other. Zeros stay zeros, and values that are not finite stay so.
struct EmbeddingRows {
  std::size_t size = 0;  // of one embedding
  std::vector<float> values = {};

  std::size_t count() const { return size == 0 ? 0 : values.size() / size; }
  void add(std::span<const double> embedding);  // of this size
  void add(const EmbeddingRows&);
};

// The rows `first` to `first + count`.
struct RowRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

// The neighbors of each row of a range, sorted: row j is a neighbor of row i if fewer than k other rows have a larger
// cosine with i. So there are at least k, and more if several have the same cosine; the order of the rows has no
// effect. Rows with values that are not finite have no neighbors and are none.
//
// Takes time proportional to count x rows x size, and memory for count x rows floats.
std::vector<std::vector<std::uint32_t>> neighbors(const EmbeddingRows&, RowRange, std::size_t k);

}  // namespace lpot
