// A streaming model and its outputs, computed step by step without Model::state.
#pragma once
#include <vector>

#include "lpot/runtime/executable.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {

// sum = relu(x + h), scores = fc(sum), and the state hn = sum. The values of the state are exact if those of x are.
inline Model streaming_model() {
  const auto x = parameter({1, 4}, "x"), h = parameter({1, 4}, "h");
  const auto sum = named(std::make_shared<op::Relu>(std::make_shared<op::Add>(x, h)), "sum");
  const auto scores = product(sum, 4, 3, "fc");
  // A separate tensor, because tensor names are unique.
  const auto next = std::make_shared<op::Multiply>(sum, constant({1, 1}, {1.0f}));
  scores->output(0).set_names({"scores"});
  next->output(0).set_names({"hn"});
  Model model = as_model({scores, next}, {x, h});
  model.state = {{.output = 1, .input = 1}};
  return model;
}

// sum = x + the sum of the previous inference, which a variable of the graph stores.
inline Model running_sum() {
  const auto x = parameter({1, 3}, "x");
  const auto variable = std::make_shared<ov::op::util::Variable>(
      ov::op::util::VariableInfo{ov::PartialShape{1, 3}, ov::element::f32, "state"});
  const auto previous = std::make_shared<op::ReadValue>(constant({1, 3}, {0, 0, 0}), variable);
  const auto sum = named(std::make_shared<op::Add>(x, previous), "sum");
  Model model;
  model.graph =
      std::make_shared<ov::Model>(ov::OutputVector{std::make_shared<op::Multiply>(sum, constant({1}, {1}))},
                                  ov::SinkVector{std::make_shared<op::Assign>(sum, variable)}, ov::ParameterVector{x});
  model.source = "made in a test";
  return model;
}

// Rows of eighths, so that sums are exact in any order. The label is the class i % 3.
inline std::vector<Sample> streaming_steps(std::size_t count) {
  std::vector<Sample> steps;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor values = random_tensor({4}, static_cast<unsigned>(i), -4, 5);
    for (std::size_t k = 0; k < 4; ++k)
      values.data<float>()[k] = static_cast<float>(static_cast<int>(values.data<float>()[k] * 8)) / 8;
    steps.push_back({{values}, Tensor::scalar(static_cast<std::int64_t>(i % 3))});
  }
  return steps;
}

inline DataLoader streaming_loader(std::size_t count, std::vector<std::size_t> sequence_lengths = {}) {
  LoaderOptions options;
  options.sequence_lengths = std::move(sequence_lengths);
  return DataLoader(std::make_shared<MemoryData>(streaming_steps(count)), {}, options);
}

// The inputs and outputs of one step.
struct StreamedStep {
  Tensor state;
  std::vector<Tensor> outputs;
};

// All steps of the loader, one after the other. The state is zero at the start of each sequence.
inline std::vector<StreamedStep> run_by_hand(const Model& model, const DataLoader& loader) {
  Executable run(model, {.threads = 1, .input_shapes = {{1, 4}, {1, 4}}});
  std::vector<StreamedStep> steps;
  for (std::size_t i = 0; i < loader.size(); ++i) {
    const std::vector<std::size_t>& starts = loader.sequence_starts();
    const bool is_start = std::find(starts.begin(), starts.end(), i) != starts.end();
    const Tensor state = is_start ? Tensor(ElementType::F32, {1, 4}) : steps.back().outputs[1];
    steps.push_back({state, run.infer({loader.sample(i).inputs[0].reshaped({1, 4}), state})});
  }
  return steps;
}

}  // namespace lpot
