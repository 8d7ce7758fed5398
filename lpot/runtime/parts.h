// Splits a graph with thousands of outputs into parts with fewer outputs. Calibration of a large model needs this,
// because every observed tensor is an output.
//
// The compile time of the CPU plug-in grows with the square of the number of outputs. A chain of 4,000 matrix products
// compiles in 3.4 s with one output and in 9.4 s with all outputs; a chain of 1,000 in 0.8 s and 0.9 s. With parts, the
// compile time grows linearly.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace ov {
class Model;
}

namespace lpot {

struct GraphPart {
  // An output of an earlier part, or an input of the whole graph.
  struct Source {
    static constexpr std::size_t kInputs = static_cast<std::size_t>(-1);
    std::size_t part = kInputs;
    std::size_t index = 0;
  };

  std::shared_ptr<ov::Model> graph;
  std::vector<Source> inputs;  // the source of each input
};

struct GraphParts {
  std::vector<GraphPart> parts;  // in the order in which they run
  std::vector<GraphPart::Source> outputs;
};

// Splits the graph into parts with at most `most` of its outputs, plus the tensors that later parts need. A graph with
// fewer outputs, or with state, is not split.
GraphParts cut_by_outputs(const std::shared_ptr<ov::Model>&, std::size_t most);

}  // namespace lpot
