// Models whose kernels are in bodies of If, Loop and TensorIterator.
#pragma once
#include <vector>

#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {

using BodyFunction = ov::Output<ov::Node> (*)(const ov::Output<ov::Node>&);

// One branch of an If with one input and one output.
struct Branch {
  std::shared_ptr<op::Parameter> input;
  std::shared_ptr<op::Result> result;
  std::shared_ptr<ov::Model> graph;

  Branch(const ov::Output<ov::Node>& x, BodyFunction function)
      : input(std::make_shared<op::Parameter>(ov::element::f32, x.get_partial_shape())),
        result(std::make_shared<op::Result>(function(input))),
        graph(std::make_shared<ov::Model>(ov::ResultVector{result}, ov::ParameterVector{input})) {
    input->set_friendly_name("in");
  }
};

// `then_function` where the mean of all values is above the threshold.
inline ov::Output<ov::Node> if_above(const ov::Output<ov::Node>& x, float threshold, BodyFunction then_function,
                                     BodyFunction else_function) {
  const auto rank = static_cast<std::int64_t>(x.get_partial_shape().size());
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < rank; ++i) axes.push_back(i);
  const auto mean = std::make_shared<op::ReduceMean>(x, op::Constant::create(ov::element::i64, {axes.size()}, axes));
  const auto node = std::make_shared<op::If>(std::make_shared<op::Greater>(mean, constant({}, {threshold})));
  const Branch then_branch(x, then_function), else_branch(x, else_function);
  node->set_then_body(then_branch.graph);
  node->set_else_body(else_branch.graph);
  node->set_input(x, then_branch.input, else_branch.input);
  return node->set_output(then_branch.result, else_branch.result);
}

inline ov::Output<ov::Node> two_convolutions(const ov::Output<ov::Node>& x) {
  return conv3x3(named(std::make_shared<op::Relu>(conv3x3(x, 4, 8, "first", 1)), "relu"), 8, 4, "second", 2);
}
inline ov::Output<ov::Node> one_convolution(const ov::Output<ov::Node>& x) { return conv3x3(x, 4, 4, "only", 3); }

// All kernels are in the branches of "If". The mean of a sample selects the branch.
inline std::shared_ptr<ov::Model> if_graph() {
  const auto x = parameter({-1, 4, 6, 6}, "x");
  const auto y = if_above(x, 0, two_convolutions, one_convolution);
  y.get_node()->set_friendly_name("If");
  return std::make_shared<ov::Model>(ov::OutputVector{y}, ov::ParameterVector{x});
}

// An If in the branch "then" of an If.
inline std::shared_ptr<ov::Model> nested_if_graph() {
  const auto x = parameter({-1, 4, 6, 6}, "x");
  const auto inner = [](const ov::Output<ov::Node>& in) {
    const auto y = if_above(in, 1, two_convolutions, one_convolution);
    y.get_node()->set_friendly_name("inner");
    return y;
  };
  const auto y = if_above(x, 0, inner, one_convolution);
  y.get_node()->set_friendly_name("outer");
  return std::make_shared<ov::Model>(ov::OutputVector{y}, ov::ParameterVector{x});
}

inline ov::Output<ov::Node> cell(const ov::Output<ov::Node>& h) {
  return named(std::make_shared<op::Tanh>(product(h, 16, 16, "recurrent", 4)), "state");
}

// h = tanh(h * R), `steps` times.
inline std::shared_ptr<ov::Model> loop_graph(std::int64_t steps, BodyFunction function = cell) {
  const auto h = parameter({-1, 16}, "h");
  const auto in = parameter({-1, 16}, "in");
  const auto next = std::make_shared<op::Result>(function(in));
  const auto condition = std::make_shared<op::Result>(op::Constant::create(ov::element::boolean, {1}, {true}));
  const auto loop = named(std::make_shared<op::Loop>(op::Constant::create(ov::element::i64, {}, {steps}),
                                                     op::Constant::create(ov::element::boolean, {}, {true})),
                          "Loop");
  loop->set_function(std::make_shared<ov::Model>(ov::ResultVector{condition, next}, ov::ParameterVector{in}));
  loop->set_special_body_ports({-1, 0});
  loop->set_merged_input(in, h, next->input_value(0));
  return std::make_shared<ov::Model>(ov::OutputVector{loop->get_iter_value(next->input_value(0), -1)},
                                     ov::ParameterVector{h});
}

// h = tanh(x[t] * W + h * R) over the steps of x, from zeros; all states.
inline std::shared_ptr<ov::Model> iterator_graph() {
  const auto x = parameter({-1, 5, 8}, "x");
  const auto step = parameter({-1, 1, 8}, "step"), in = parameter({1, 1, 16}, "in");
  const auto sum = std::make_shared<op::Add>(product(step, 8, 16, "input", 5), product(in, 16, 16, "recurrent", 4));
  const auto next = std::make_shared<op::Result>(named(std::make_shared<op::Tanh>(sum), "state"));
  const auto iterator = named(std::make_shared<op::TensorIterator>(), "Iterator");
  iterator->set_body(std::make_shared<ov::Model>(ov::ResultVector{next}, ov::ParameterVector{step, in}));
  iterator->set_sliced_input(step, x, 0, 1, 1, -1, 1);
  iterator->set_merged_input(in, constant({1, 1, 16}, std::vector<float>(16, 0.0f)), next->input_value(0));
  return std::make_shared<ov::Model>(
      ov::OutputVector{iterator->get_concatenated_slices(next->input_value(0), 0, 1, 1, -1, 1)},
      ov::ParameterVector{x});
}

// Images whose mean is about `mean`.
inline std::vector<Tensor> images_around(float mean, std::size_t count, unsigned seed = 1) {
  std::vector<Tensor> images;
  for (std::size_t i = 0; i < count; ++i)
    images.push_back(random_tensor({4, 6, 6}, seed + static_cast<unsigned>(i), mean - 1, mean + 1));
  return images;
}

}  // namespace lpot
