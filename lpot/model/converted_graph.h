// Converts an ONNX or TensorFlow Lite file as far as OpenVINO supports its operations.
//
//   const auto graph = convert_partially(find_model_files("net.tflite"), {});
//   std::cout << to_sentence(advise_cut(to_source_graph(*graph), {}, {})) << "\n";
//
#pragma once
#include <memory>

#include "lpot/model/load.h"
#include "lpot/model/model_files.h"
#include "lpot/model/source_graph.h"

namespace lpot {

// Unsupported ops become FrameworkNodes. The inputs get the shapes of options.input_shapes before the conversion,
// because some ops can only be converted if the rank of their input is known. Throws ov::Exception.
std::shared_ptr<ov::Model> convert_partially(const ModelFiles&, const LoadOptions&);

// Like convert_partially, but throws ov::Exception if an op is not supported.
std::shared_ptr<ov::Model> convert_with_shapes(const ModelFiles&, const LoadOptions&);

// The nodes of a partly converted graph. Unconverted nodes are marked as unsupported.
SourceGraph to_source_graph(const ov::Model&);

}  // namespace lpot
