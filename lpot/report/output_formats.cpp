#include "lpot/report/output_formats.h"

#include <algorithm>
#include <stdexcept>

#include "lpot/quantize/writers/onnx.h"
#include "lpot/report/result.h"

namespace lpot {

const std::vector<OutputFormat>& output_formats() {
  static const std::vector<OutputFormat> kFormats{
      {"onnx", "model.onnx", "ONNX Runtime", ModelFormat::Onnx, export_onnx, onnx_runtime_lines},
  };
  return kFormats;
}

const OutputFormat& output_format(const std::string& name) {
  const auto& all = output_formats();
  const auto found = std::find_if(all.begin(), all.end(), [&](const OutputFormat& each) { return each.name == name; });
  if (found == all.end()) throw std::out_of_range("output format " + name);
  return *found;
}

}  // namespace lpot
