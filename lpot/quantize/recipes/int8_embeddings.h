// Int8 embeddings: rows of floats that are looked up by index (embeddings) are stored as integers, and what is looked
// up is computed in fp32. Large tables have a scale for each row and are a quarter on disk. Small ones (segments) have
// a scale for each column: the rows that are looked up stay integers then, a quarter of the bytes to write and to read
// again (BlendCNN at batch 32 on AVX512-VNNI: 0.25 ms instead of 1.1 of 12.6). Narrow ones are no embeddings.
#pragma once
#include <mutex>
#include <vector>

#include "lpot/quantize/graph/edits.h"

namespace lpot {

std::vector<EmbeddingEdit> embedding_edits(const Model&);

// The same for all plans of a model, made when they are first asked for. The model must outlive them; any thread may
// ask.
class EmbeddingEdits {
 public:
  explicit EmbeddingEdits(const Model& model) : model_(model) {}
  const std::vector<EmbeddingEdit>& get() const {
    std::call_once(made_, [this] { edits_ = embedding_edits(model_); });
    return edits_;
  }

 private:
  const Model& model_;
  mutable std::once_flag made_;
  mutable std::vector<EmbeddingEdit> edits_;
};

}  // namespace lpot
