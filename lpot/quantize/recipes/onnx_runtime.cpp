// ONNX Runtime runs a convolution in int8 only if its output is quantized too (graph/onnx_runtime_reads.h). This recipe
// adds these quantizers, so that model.onnx is fast there. OpenVINO does not need them.
#include "lpot/quantize/recipes/recipe.h"

namespace lpot {
namespace {

Edits set_onnx_runtime(const RecipeValue& value, Edits edits) {
  edits.onnx_runtime = std::get<bool>(value);
  return edits;
}

}  // namespace

Recipe onnx_runtime_recipe() {
  return {.declaration = {.name = "onnx_runtime",
                          .key = {.parameter = {.name = "onnx_runtime",
                                                .kind = ValueKind::Flag,
                                                .summary = "quantize also the outputs of int8 convolutions and of the "
                                                           "ops after them, which ONNX Runtime needs to run in int8; "
                                                           "default: off"},
                                  .position = 115},
                          .plan_default = false,
                          // It needs the ranges of more tensors than other plans.
                          .statistics = RecipeStatistics::OwnPass,
                          .label = "onnx_runtime"},
          .set_options = set_onnx_runtime};
}

}  // namespace lpot
