#include "lpot/quantize/writers/keep_in_f32.h"

#include <limits>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/core/error.h"
#include "lpot/model/bodies.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

using Attribute = ov::RTMap::value_type;

// OpenVINO's headers do not declare the attribute, but its reader creates it. The graph is one ReLU with the attribute.
Attribute read_attribute() {
  constexpr const char* kGraph = R"(<net name="f32" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>
<layer id="1" name="marked" type="ReLU" version="opset1">
<rt_info><attribute name="DisablePrecisionConversion" version="0" value="dynamic:f16,bf16"/></rt_info>
<input><port id="0" precision="FP32"><dim>1</dim></port></input>
<output><port id="1" precision="FP32"><dim>1</dim></port></output></layer>
<layer id="2" name="y" type="Result" version="opset1">
<input><port id="0" precision="FP32"><dim>1</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>)";
  const auto graph = ov::Core().read_model(std::string(kGraph), ov::Tensor());
  for (const auto& node : graph->get_ordered_ops())
    for (const Attribute& attribute : node->get_rt_info())
      if (attribute.first.find("DisablePrecisionConversion") != std::string::npos) return attribute;
  throw ModelError("quantize",
                   "this version of OpenVINO cannot keep single ops in f32; set quantization.precision: f32");
}

// The plug-in fuses a matrix product with the bias behind it before it reads the attribute, and the fused op does not
// have it. A clamp to all finite values between them prevents this fusion. The kernel computes both without extra cost.
void prevent_bias_fusion(const std::shared_ptr<ov::Node>& product) {
  const auto readers = product->output(0).get_target_inputs();
  if (readers.size() != 1 || !ov::is_type<op::Add>(readers.begin()->get_node())) return;
  constexpr double kLargest = std::numeric_limits<float>::max();
  const auto clamp = std::make_shared<op::Clamp>(product, -kLargest, kLargest);
  clamp->set_friendly_name(product->get_friendly_name() + "/f32");
  ov::Input<ov::Node> reader = *readers.begin();
  reader.replace_source_output(clamp);
}

}  // namespace

void keep_in_f32(const std::shared_ptr<ov::Node>& node) {
  static const Attribute kAttribute = read_attribute();
  node->get_rt_info()[kAttribute.first] = kAttribute.second;
  if (ov::is_type<op::MatMul>(node)) prevent_bias_fusion(node);
}

void keep_all_in_f32(const ov::Model& graph) {
  for (const auto& node : all_ops(graph))
    if (!ov::is_type<op::Parameter>(node) && !ov::is_type<op::Constant>(node) && !ov::is_type<op::Result>(node))
      keep_in_f32(node);
}

}  // namespace lpot
