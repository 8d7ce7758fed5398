// The option --runtime, and the runtime in results.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "lpot/runtime/onnxruntime.h"

namespace lpot::cli {

inline constexpr const char* kOpenVino = "openvino";
inline constexpr const char* kOnnxRuntime = "onnxruntime";

void add_runtime_option(CLI::App& verb, std::string& runtime);

// The worker process of ONNX Runtime; nullptr for OpenVINO. Throws ConfigError if ONNX Runtime is not installed.
std::shared_ptr<OnnxRuntime> start_runtime(const std::string& runtime);

// "ONNX Runtime 1.31.1 (/usr/bin/python3)"
std::string describe_runtime(const OnnxRuntime&);

// "runtime" and "runtime_version"; nullptr: those of OpenVINO.
nlohmann::ordered_json runtime_json(const OnnxRuntime*);

}  // namespace lpot::cli
