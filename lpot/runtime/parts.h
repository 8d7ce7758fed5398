// A graph with thousands of outputs, as calibration needs it of a large model, cut into several with fewer.
//
// The time that the CPU plug-in takes to compile a graph grows with the square of its outputs (a chain of 4,000
// products: 3.4 s with one output, 9.4 s with all; of 1,000: 0.8 s and 0.9 s); in parts it stays linear.
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
  std::vector<Source> inputs;  // what each of its inputs is to be given
};

struct GraphParts {
  std::vector<GraphPart> parts;  // in the order in which they run
  std::vector<GraphPart::Source> outputs;
};

// Parts with `most` outputs of the whole graph each, beside what they hand on to later ones. A graph that has no more,
// or that has a state, stays whole.
GraphParts cut_by_outputs(const std::shared_ptr<ov::Model>&, std::size_t most);

}  // namespace lpot
