#include "lpot/model/reshape.h"

#include <openvino/openvino.hpp>

namespace lpot {

std::shared_ptr<ov::Model> reshaped_graph(const Model& model, const std::vector<Shape>& shapes) {
  auto graph = model.graph->clone();
  std::map<std::size_t, ov::PartialShape> by_input;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    by_input[i] = ov::PartialShape(ov::Shape(shapes[i].begin(), shapes[i].end()));
  graph->reshape(by_input);
  return graph;
}

}  // namespace lpot
