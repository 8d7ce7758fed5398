#include "lpot/model/formats.h"

namespace lpot {

// In the order of the enumeration.
const std::array<FormatInfo, kFormatCount>& model_formats() {
  static constexpr std::array<FormatInfo, kFormatCount> kFormats{{
      {.format = ModelFormat::Onnx,
       .name = "onnx",
       .extension = ".onnx",
       .hint = "",
       .front_end = "onnx",
       .is_protobuf = true},
      {.format = ModelFormat::TensorFlow,
       .name = "tensorflow",
       .extension = ".pb",
       .hint = "TensorFlow frozen graph",
       .front_end = "tf",
       .is_protobuf = true},
      {.format = ModelFormat::TensorFlowLite,
       .name = "tflite",
       .extension = ".tflite",
       .hint = "",
       .front_end = "tflite"},
      {.format = ModelFormat::Paddle,
       .name = "paddle",
       .extension = ".pdmodel",
       .hint = "Paddle",
       .front_end = "paddle",
       .is_protobuf = true,
       .weights_extension = ".pdiparams"},
      {.format = ModelFormat::OpenVinoIr,
       .name = "openvino",
       .extension = ".xml",
       .hint = "OpenVINO IR",
       .front_end = "ir",
       .weights_extension = ".bin",
       .needs_weights = true},
  }};
  return kFormats;
}

const FormatInfo& info_of(ModelFormat format) { return model_formats().at(static_cast<std::size_t>(format)); }

std::string_view to_string(ModelFormat format) { return info_of(format).name; }

}  // namespace lpot
