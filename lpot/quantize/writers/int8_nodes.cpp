#include "lpot/quantize/writers/int8_nodes.h"

namespace lpot {
namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;

Output dequantized(const ov::Shape& shape, const std::vector<std::int8_t>& integers, const ov::Shape& scale_shape,
                   std::vector<float> scales, const std::string& name, Dequantized when) {
  const bool divide = when == Dequantized::WhenCompiled;
  if (divide)
    for (float& scale : scales) scale = 1.0f / scale;
  const auto values = std::make_shared<op::Constant>(ov::element::i8, shape, integers.data());
  const auto factors = std::make_shared<op::Constant>(ov::element::f32, scale_shape, scales.data());
  const auto convert = std::make_shared<op::Convert>(values, ov::element::f32);
  const std::shared_ptr<ov::Node> result =
      divide ? std::shared_ptr<ov::Node>(std::make_shared<op::Divide>(convert, factors))
             : std::make_shared<op::Multiply>(convert, factors);
  values->set_friendly_name(name);
  factors->set_friendly_name(name + "/scale");
  convert->set_friendly_name(name + "/convert");
  result->set_friendly_name(name + "/dequantized");
  return result;
}

Output dequantized(const op::Constant& constant, const QuantizedWeights& weights, Dequantized when) {
  return dequantized(constant.get_shape(), weights.values,
                     ov::Shape(weights.scale_shape.begin(), weights.scale_shape.end()), weights.scales,
                     constant.get_friendly_name(), when);
}

Output fake_quantize(const Output& tensor, const Range& levels, const std::string& name) {
  return fake_quantize(tensor, levels, levels, name);
}

Output fake_quantize(const Output& tensor, const Range& levels, const Range& output_levels, const std::string& name) {
  const auto end = [&](float value, const char* suffix) {
    const auto constant = op::Constant::create(ov::element::f32, {}, {value});
    constant->set_friendly_name(name + suffix);
    return constant;
  };
  const auto low = end(levels.low, "/low"), high = end(levels.high, "/high");
  const bool scales = !(levels == output_levels);
  const auto node =
      std::make_shared<op::FakeQuantize>(tensor, low, high, scales ? end(output_levels.low, "/output_low") : low,
                                         scales ? end(output_levels.high, "/output_high") : high, 256);
  node->set_friendly_name(name);
  return node;
}

void replace_output(const Output& old, const Output& with) {
  for (ov::Input<ov::Node> reader : old.get_target_inputs())
    if (reader.get_node() != with.get_node()) reader.replace_source_output(with);
  const auto names = old.get_names();
  old.get_tensor().set_names({});
  with.get_tensor().add_names(names);
}

}  // namespace lpot
