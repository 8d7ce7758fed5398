// Reads a model: ONNX (.onnx), TensorFlow frozen graph (.pb) and SavedModel (its folder or the saved_model.pb in it),
// TensorFlow Lite (.tflite), Paddle (.pdmodel with its .pdiparams), OpenVINO IR (.xml with its .bin).
//
//   Model model = load_model("resnet20.onnx");
//   Model behind_mfcc = load_model("kws.pb", {.inputs = {"Mfcc"}, .input_shapes = {{"Mfcc", {1, 49, 10}}}});
//
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

// Tensors are named "name" or "name:0".
struct LoadOptions {
  std::vector<std::string> inputs = {};   // tensors to begin at, in this order; empty: the model's own
  std::vector<std::string> outputs = {};  // tensors to end at; empty: the model's own
  std::map<std::string, std::vector<std::int64_t>> input_shapes = {};  // of cut and of other inputs; -1: dynamic
  std::uint64_t convert_apart_from = std::uint64_t{256}
                                     << 20;  // bytes of a TensorFlow model (model/subprocess_convert.h)
  bool probe = true;                         // read it in a copy of this process first (model/sandboxed_load.h)

  bool cuts() const { return !inputs.empty() || !outputs.empty(); }
};

// How the endings of model files are told to people.
inline constexpr const char* kModelFiles = ".onnx, .pb, a SavedModel folder, .tflite, .pdmodel or .xml";

// Throws ModelError: a missing, damaged or unknown file, an op that cannot be converted (with the cut that avoids it),
// a tensor that does not exist, a cut input whose shape nobody knows, an output that needs an input which is not named.
Model load_model(const std::filesystem::path&, const LoadOptions& = {});

}  // namespace lpot
