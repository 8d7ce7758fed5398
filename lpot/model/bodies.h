// The bodies of control flow: the branches of If, and the bodies of Loop and TensorIterator.
//
//   for (const auto& node : all_ops(*model.graph)) std::cout << op_name(*node) << "\n";  // also "If_0/then/Conv_3"
//
// load_model names the ops of a body with the path to it (names.h), so a name identifies one op of the whole model.
#pragma once
#include <map>
#include <memory>
#include <openvino/core/node_output.hpp>
#include <openvino/core/node_vector.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ov {
class Model;
class Node;
}  // namespace ov

namespace lpot {

struct Body {
  std::string label;  // "then", "else" or "body"
  std::shared_ptr<ov::Model> graph;
};

// Empty if the op has no bodies.
std::vector<Body> bodies_of(const ov::Node&);

// The ops of a graph and of its bodies, recursively. Topological in each graph; the ops of a body come before the op
// that owns the body.
ov::NodeVector all_ops(const ov::Model&);

// Adds outputs for tensors inside bodies, so that the graph around them can read their values.
//
//   BodyOutputs outputs(*graph);
//   if (const auto exposed = outputs.expose(tensor)) results.push_back(exposed->tensor);
//
class BodyOutputs {
 public:
  // A tensor of the main graph with the values of a tensor in a body.
  struct Exposed {
    ov::Output<ov::Node> tensor;     // has no values where another branch of an If was taken
    std::size_t iteration_axes = 0;  // leading dimensions that were added, one for each loop: the values of all steps
  };

  explicit BodyOutputs(const ov::Model&);

  // Changes the ops that own the bodies. A tensor of the main graph is returned as it is. Nothing for a tensor whose
  // rank is unknown, or in an If inside a loop: the steps of a loop cannot have outputs of different sizes.
  std::optional<Exposed> expose(const ov::Output<ov::Node>&);

 private:
  struct Owner {
    std::shared_ptr<ov::Node> op;
    std::size_t body = 0;  // its index in bodies_of(op)
  };
  void add(const ov::Model&, const std::optional<Owner>&);
  const Owner* owner_of(const ov::Node&) const;

  std::map<const ov::Node*, Owner> owners_;  // of all ops in bodies
};

// The same graph with other outputs. Its variables (ReadValue, Assign) stay.
std::shared_ptr<ov::Model> with_outputs(const ov::Model&, const ov::OutputVector&);

}  // namespace lpot
