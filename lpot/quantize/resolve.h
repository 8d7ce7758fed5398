// Converts a plan and its statistics into edits of the source graph.
//
//   Edits edits = resolve(model, plan, statistics);
//   Model int8 = apply(model, edits);  // writers/openvino.h
//
#pragma once
#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/plan/plan.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

class EmbeddingEdits;

// The fp32 model whose statistics `resolve` needs for plans with these recipes. It computes the same function, but
// recipes with RecipeStatistics::OwnPass change the values of its activations.
Model rescaled(const Model&, const Recipes&);

// Throws ModelError for a plan of another model, DataError when a tensor has no statistics, and StoreError for an
// unknown recipe. `embeddings`: those of the model, when several plans are resolved.
Edits resolve(const Model&, const Plan&, const Statistics&, const EmbeddingEdits* embeddings = nullptr);

}  // namespace lpot
