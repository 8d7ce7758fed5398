// The formats of model files that load_model reads. report/output_formats.h lists the formats that lpot writes.
//
//   std::cout << info_of(ModelFormat::Onnx).extension << "\n";  // .onnx
//
// A new one needs:
// - its value in `ModelFormat` (model.h) and its row in formats.cpp
// - the names of its ops: source_names in names.cpp
// - the frameworks that read it: formats_of in tune/setup.cpp
// - tests in tests/model/test_formats.cpp, and a fuzz target in tests/fuzz/targets/
// - kModelFiles in load.h, which help and messages print
// A SavedModel is a folder of the format TensorFlow; model_files.cpp finds its files.
#pragma once
#include <array>
#include <string>

#include "lpot/model/model.h"

namespace lpot {

struct FormatInfo {
  ModelFormat format;
  const char* name;       // in messages, deploy.yaml and model.framework
  const char* extension;  // of the file
  const char* hint;       // what the extension stands for, in messages; "": obvious
  const char* front_end;  // OpenVINO's name of its front end
  // The file is a protobuf message, whose structure is checked before OpenVINO reads it.
  bool is_protobuf = false;
  const char* weights_extension = "";  // of the file with the weights; "": they are in the same file
  bool needs_weights = false;          // the file with the weights must exist
};

inline constexpr std::size_t kFormatCount = 5;
const std::array<FormatInfo, kFormatCount>& model_formats();

const FormatInfo& info_of(ModelFormat);

}  // namespace lpot
