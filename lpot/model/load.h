// Reads a model: ONNX (.onnx), TensorFlow frozen graph (.pb) and SavedModel (its folder or the saved_model.pb in it),
// TensorFlow Lite (.tflite), Paddle (.pdmodel with its .pdiparams), OpenVINO IR (.xml with its .bin).
//
//   Model model = load_model("resnet20.onnx");
//   Model behind_mfcc = load_model("kws.pb", {.inputs = {"Mfcc"}, .input_shapes = {{"Mfcc", {1, 49, 10}}}});
//
// formats.h lists the formats, and what a new one needs.
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
  std::vector<std::string> inputs = {};   // tensors that become the inputs, in this order; empty: the model's own
  std::vector<std::string> outputs = {};  // tensors that become the outputs; empty: the model's own
  std::map<std::string, std::vector<std::int64_t>> input_shapes = {};  // of any input, cut or not; -1: dynamic
  // From an output to the input that it feeds in the next step (state.h).
  std::map<std::string, std::string> state = {};
  // TensorFlow models of at least this size are converted in a child process (model/subprocess_convert.h).
  std::uint64_t subprocess_convert_bytes = std::uint64_t{256} << 20;
  bool probe = true;  // load the model in a sandbox first (model/sandboxed_load.h)

  bool cuts() const { return !inputs.empty() || !outputs.empty(); }
};

// The supported model files, for messages and help texts.
inline constexpr const char* kModelFiles = ".onnx, .pb, a SavedModel folder, .tflite, .pdmodel or .xml";

// Throws ModelError if
//   - the file is missing or damaged, or its format is unknown,
//   - OpenVINO does not support an operation; the message proposes a cut that avoids it,
//   - a named tensor does not exist, or the shape of a cut input is unknown,
//   - an output depends on an input that is not in `inputs`,
//   - `state` does not match the outputs and inputs.
Model load_model(const std::filesystem::path&, const LoadOptions& = {});

}  // namespace lpot
