#include "lpot/quantize/writers/onnx_qdq.h"

#include "lpot/quantize/graph/activation_range.h"

namespace lpot {

std::string QdqNodes::divided(const std::string& tensor, const Division& division) {
  if (division.divisors.empty()) return tensor;
  std::string& name = divided_[{tensor, division}];
  if (!name.empty()) return name;
  std::vector<float> factors;
  for (const float divisor : division.divisors) factors.push_back(1.0f / divisor);
  Dims dims(division.trailing_dims + 1, 1);
  dims[0] = static_cast<std::int64_t>(factors.size());
  name = graph_.unique_name(tensor + "/smoothed");
  graph_.add_node(build_node("Mul", name, {tensor, graph_.add_constant(tensor + "/smooth", dims, factors)}, name));
  return name;
}

std::string QdqNodes::activation(const std::string& tensor, const Range& levels, const Division& division) {
  std::string& output = activations_[{tensor, levels.low, levels.high, division}];
  if (!output.empty()) return output;
  const Quantization quantization(levels);
  const std::string data = divided(tensor, division);
  const std::string scale = graph_.add_constant(data + "/scale", {}, std::vector<float>{quantization.scale});
  // Always unsigned: ONNX Runtime has int8 kernels only for inputs and outputs of the same type, and on x86 those for
  // unsigned activations are faster.
  constexpr std::uint8_t kSymmetricZeroPoint = 128;
  const auto zero_point =
      quantization.is_signed ? kSymmetricZeroPoint : static_cast<std::uint8_t>(quantization.zero_point);
  const std::string zero = graph_.add_constant(data + "/zero_point", {}, std::vector<std::uint8_t>{zero_point});
  const std::string quantized = graph_.unique_name(data + "/quantized");
  output = graph_.unique_name(data + "/dequantized");
  graph_.add_node(build_node("QuantizeLinear", quantized, {data, scale, zero}, quantized));
  graph_.add_node(build_node("DequantizeLinear", output, {quantized, scale, zero}, output));
  return output;
}

std::string QdqNodes::weights(const std::string& name, const FileLayout& layout, const QuantizedWeights& weights) {
  std::vector<StoredWeights>& of_name = weights_[name];
  for (const StoredWeights& stored : of_name)
    if (stored.weights->values == weights.values && stored.weights->scales == weights.scales) return stored.dequantized;
  const bool per_channel = weights.scales.size() > 1;
  const Dims scale_dims = per_channel ? Dims{static_cast<std::int64_t>(weights.scales.size())} : Dims{};
  const std::string values = graph_.add_constant(name + "/int8", layout.dims, in_layout(weights.values, layout));
  const std::string scales = graph_.add_constant(name + "/scale", scale_dims, weights.scales);
  const std::string zeros =
      graph_.add_constant(name + "/zero_point", scale_dims, std::vector<std::int8_t>(weights.scales.size(), 0));
  std::string output = graph_.unique_name(name + "/dequantized");
  onnx::NodeProto node = build_node("DequantizeLinear", output, {values, scales, zeros}, output);
  if (per_channel) set_attribute(node, "axis", layout.channel_axis);
  graph_.add_node(std::move(node));
  of_name.push_back({&weights, output});
  return output;
}

std::string QdqNodes::bias(const std::string& name, const IntegerBias& bias) {
  const Dims dims{static_cast<std::int64_t>(bias.integers.size())};
  const std::string stored = graph_.add_constant(name + "/int32", dims, bias.integers);
  const std::string scale = graph_.add_constant(name + "/scale", dims, bias.scales);
  std::string output = graph_.unique_name(name + "/dequantized");
  onnx::NodeProto node = build_node("DequantizeLinear", output, {stored, scale}, output);
  set_attribute(node, "axis", std::int64_t{0});
  graph_.add_node(std::move(node));
  return output;
}

}  // namespace lpot
