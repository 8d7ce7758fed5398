// Reads a model file: ONNX (.onnx), TensorFlow frozen graph (.pb), OpenVINO IR (.xml with its .bin).
#pragma once
#include <filesystem>

#include "lpot/model/model.h"

namespace lpot {

// Throws ModelError: a missing, damaged or unknown file, an op that cannot be converted.
Model load_model(const std::filesystem::path&);

}  // namespace lpot
