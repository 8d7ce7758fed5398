#include "lpot/quantize/forms/convolution.h"

#include <openvino/opsets/opset8.hpp>

namespace lpot {
namespace {

namespace op = ov::opset8;

template <typename Node>
std::shared_ptr<Node> named(std::shared_ptr<Node> node, const std::string& name) {
  node->set_friendly_name(name);
  return node;
}

std::shared_ptr<ov::Node> integers(const std::vector<std::int64_t>& values, const std::string& name) {
  return named(op::Constant::create(ov::element::i64, {values.size()}, values), name);
}

}  // namespace

bool has_convolution_form(const ov::Rank& rank) {
  return rank.is_static() && (rank.get_length() == 2 || rank.get_length() == 3);
}

ov::Output<ov::Node> convolution_form(const ov::Output<ov::Node>& input, const ov::Output<ov::Node>& weights,
                                      const std::vector<float>& bias, const std::string& name) {
  const bool has_rows = input.get_partial_shape().rank().get_length() == 3;
  const auto turn = [&](const ov::Output<ov::Node>& tensor, const std::string& step, bool to_channels) {
    const std::string of_step = name + "/" + step;
    std::shared_ptr<ov::Node> node;
    if (has_rows)
      node = std::make_shared<op::Transpose>(tensor, integers({0, 2, 1}, of_step + "/order"));
    else if (to_channels)
      node = std::make_shared<op::Unsqueeze>(tensor, integers({2}, of_step + "/axes"));
    else
      node = std::make_shared<op::Squeeze>(tensor, integers({2}, of_step + "/axes"));
    return named(node, of_step);
  };
  std::shared_ptr<ov::Node> result =
      named(std::make_shared<op::Convolution>(turn(input, "channels_first", true), weights, ov::Strides{1},
                                              ov::CoordinateDiff{0}, ov::CoordinateDiff{0}, ov::Strides{1}),
            name);
  if (!bias.empty()) {
    const auto constant = named(op::Constant::create(ov::element::f32, {1, bias.size(), 1}, bias), name + "/bias");
    result = named(std::make_shared<op::Add>(result, constant), name + "/biased");
  }
  return turn(result, "channels_last", false);
}

}  // namespace lpot
