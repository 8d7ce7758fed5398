#include "lpot/tune/zero_data.h"

#include "lpot/model/state.h"

namespace lpot {
namespace {

class Zeros : public Dataset {
 public:
  explicit Zeros(std::vector<Port> ports) : ports_(std::move(ports)) {}

  std::size_t size() const override { return 1; }

  Sample at(std::size_t) const override {
    Sample sample;
    for (const Port& port : ports_) {
      Shape shape;
      for (std::size_t i = 1; i < port.shape.size(); ++i)  // the loader puts the batch in front
        shape.push_back(port.shape[i] < 0 ? 1 : static_cast<std::size_t>(port.shape[i]));
      sample.inputs.emplace_back(parse_element_type(port.element_type), shape);
    }
    return sample;
  }

  std::string identity() const override { return "zeros"; }

 private:
  std::vector<Port> ports_;
};

}  // namespace

std::shared_ptr<const Dataset> zero_data(const Model& model) {
  const std::vector<Port> inputs = model_inputs(model);
  std::vector<Port> with_data;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!is_state_input(model, i)) with_data.push_back(inputs[i]);
  return std::make_shared<Zeros>(with_data);
}

}  // namespace lpot
