#include "lpot/quantize/recipes/int8_embeddings.h"

#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/model/bodies.h"
#include "lpot/quantize/recipes/recipe.h"

namespace lpot {
namespace {

Edits add_embeddings(const RecipeContext& context, Edits edits) {
  edits.tables = context.embeddings ? context.embeddings->get() : embedding_edits(context.model);
  return edits;
}

}  // namespace

std::vector<EmbeddingEdit> embedding_edits(const Model& model) {
  namespace op = ov::opset8;
  constexpr std::size_t kLarge = 1 << 16;  // values; a table with as many or more has one scale per row
  constexpr std::size_t kWide = 64;        // columns; a smaller table with fewer is not an embedding
  std::vector<EmbeddingEdit> edits;
  for (const auto& node : all_ops(*model.graph)) {
    if (std::string_view(node->get_type_name()) != "Gather") continue;
    const auto table = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(0));
    const auto axis = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(2));
    if (!table || !axis || table->get_element_type() != ov::element::f32 || table->get_shape().size() != 2) continue;
    if (axis->cast_vector<std::int64_t>() != std::vector<std::int64_t>{0}) continue;
    const ov::Shape& shape = table->get_shape();
    const bool is_large = ov::shape_size(shape) >= kLarge;
    if (!is_large && shape[1] < kWide) continue;
    edits.push_back(
        {op_name(*node), std::make_shared<QuantizedWeights>(quantize_weights(
                             table->cast_vector<float>(), Shape(shape.begin(), shape.end()), {is_large ? 0u : 1u},
                             {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 8}))});
  }
  return edits;
}

Recipe int8_embeddings_recipe() {
  return {.declaration =
              {.name = "int8_tables",
               .key = {.parameter = {.name = "int8_embeddings",
                                     .kind = ValueKind::Flag,
                                     .summary =
                                         "store embeddings as int8, with one scale per row (small tables: per column); "
                                         "default: on"},
                       .aliases = {"int8_tables"},
                       .position = 100},
               .plan_default = false,
               .config_default = true,
               .label = "int8_embeddings"},
          .finish = add_embeddings};
}

}  // namespace lpot
