#include "cli/runtime_option.h"

#include <fmt/format.h>

#include "lpot/runtime/openvino_version.h"

namespace lpot::cli {

void add_runtime_option(CLI::App& verb, std::string& runtime) {
  verb.add_option("--runtime", runtime,
                  "The runtime that runs the models: openvino, or onnxruntime for ONNX models (needs a Python with "
                  "ONNX Runtime: LPOT_ONNXRUNTIME_PYTHON, else the installed one)")
      ->check(CLI::IsMember({kOpenVino, kOnnxRuntime}))
      ->capture_default_str();
}

std::shared_ptr<OnnxRuntime> start_runtime(const std::string& runtime) {
  return runtime == kOpenVino ? nullptr : std::make_shared<OnnxRuntime>(start_onnxruntime());
}

std::string describe_runtime(const OnnxRuntime& runtime) {
  return fmt::format("ONNX Runtime {} ({})", runtime.version(), runtime.python());
}

nlohmann::ordered_json runtime_json(const OnnxRuntime* runtime) {
  return {{"runtime", runtime ? kOnnxRuntime : kOpenVino},
          {"runtime_version", runtime ? runtime->version() : openvino_version()}};
}

}  // namespace lpot::cli
