#include "lpot/plan/diagnosis.h"
#include "lpot/core/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace lpot {
namespace {

// Below this signal-to-noise ratio, the noise of one op is visible in the outputs of most networks.
constexpr double kLowDecibels = 20;

std::string quoted(const std::string& name) { return dump_json(OrderedJson(name)); }

std::string fp32_yaml(const std::string& op) {
  return fmt::format("quantization: {{op_wise: {{{}: {{activation: {{dtype: [fp32]}}, weight: {{dtype: [fp32]}}}}}}}}",
                     quoted(op));
}

}  // namespace

std::optional<double> OpDiagnosis::decibels() const {
  if (!noise || *noise <= 0) return std::nullopt;
  return -10 * std::log10(*noise);
}

std::vector<Finding> findings(const OpDiagnosis& op) {
  std::vector<Finding> found;
  if (op.decibels() && *op.decibels() < kLowDecibels)
    found.push_back(
        {"noise",
         fmt::format("int8 rounding adds noise with {:.1f}% of the power of the op's output (signal-to-noise ratio "
                     "{:.1f} dB); more than 1% often lowers the accuracy",
                     100 * *op.noise, *op.decibels()),
         fp32_yaml(op.op)});
  if (op.slower_in_int8)
    found.push_back({"slower",
                     fmt::format("the op takes {:.3f} ms in int8 and {:.3f} ms in fp32 on this CPU",
                                 op.int8_ms.value_or(0), op.fp32_ms.value_or(0)),
                     fp32_yaml(op.op)});
  if (op.channels.outliers > 0) {
    const bool is_product = op.type == "MatMul";
    found.push_back(
        {"outliers",
         fmt::format("input channels with outliers: {} of {}; the widest range is {:.0f} times the median, so int8 "
                     "has few steps for the other channels",
                     op.channels.outliers, op.channels.count, op.channels.widest),
         fmt::format("quantization: {{recipes: {{{}: true}}}}",
                     is_product ? "smooth_quant" : "cross_layer_equalization")});
  }
  if (op.saturates)
    found.push_back({"saturation",
                     "the 16-bit sums of CPUs without VNNI can overflow; weights with half the range prevent this",
                     "quantization: {recipes: {half_range: true}}"});
  if (op.channels.dead > 0)
    found.push_back(
        {"dead",
         fmt::format("input channels that are constant in the calibration data: {} of {}; their range is unknown",
                     op.channels.dead, op.channels.count),
         fmt::format("quantization: {{calibration: {{sampling_size: {}}}}}",
                     4 * std::max<std::size_t>(1, op.samples))});
  return found;
}

OrderedJson to_json(const OpDiagnosis& op) {
  OrderedJson json{{"op", op.op}, {"type", op.type}, {"tensor", op.tensor}};
  if (op.noise) json["noise"] = *op.noise;
  if (op.decibels()) json["decibels"] = *op.decibels();
  json.update({{"saturates", op.saturates},
               {"channels", op.channels.count},
               {"dead", op.channels.dead},
               {"outliers", op.channels.outliers},
               {"widest", op.channels.widest},
               {"slower_in_int8", op.slower_in_int8}});
  if (op.fp32_ms) json.update({{"fp32_ms", *op.fp32_ms}, {"int8_ms", *op.int8_ms}});
  json["findings"] = OrderedJson::array();
  for (const Finding& finding : findings(op))
    json["findings"].push_back({{"kind", finding.kind}, {"text", finding.text}, {"yaml", finding.yaml}});
  return json;
}

OpDiagnosis op_diagnosis_from_json(const OrderedJson& json) {
  OpDiagnosis op{json.value("op", ""), json.value("type", ""), json.value("tensor", ""), {}};
  if (json.contains("noise")) op.noise = json.at("noise").get<double>();
  op.saturates = json.value("saturates", false);
  op.channels = {json.value("channels", std::size_t{0}), json.value("dead", std::size_t{0}),
                 json.value("outliers", std::size_t{0}), json.value("widest", 0.0)};
  op.slower_in_int8 = json.value("slower_in_int8", false);
  if (json.contains("fp32_ms")) op.fp32_ms = json.at("fp32_ms").get<double>();
  if (json.contains("int8_ms")) op.int8_ms = json.at("int8_ms").get<double>();
  return op;
}

std::vector<Finding> findings_from_json(const OrderedJson& op) {
  std::vector<Finding> found;
  for (const OrderedJson& finding : op.value("findings", OrderedJson::array()))
    found.push_back({finding.value("kind", ""), finding.value("text", ""), finding.value("yaml", "")});
  return found;
}

OrderedJson to_json(const TensorHistogram& tensor) {
  return {{"tensor", tensor.tensor},
          {"op", tensor.op},
          {"algorithm", tensor.algorithm},
          {"range", {tensor.range_low, tensor.range_high}},
          {"histogram", {{"low", tensor.low}, {"high", tensor.high}, {"counts", tensor.counts}}}};
}

TensorHistogram tensor_histogram_from_json(const OrderedJson& json) {
  const OrderedJson& histogram = json.at("histogram");
  return {json.at("tensor"),      json.at("op"),
          json.at("algorithm"),   json.at("range").at(0),
          json.at("range").at(1), histogram.at("low"),
          histogram.at("high"),   histogram.at("counts").get<std::vector<std::uint64_t>>()};
}

}  // namespace lpot
