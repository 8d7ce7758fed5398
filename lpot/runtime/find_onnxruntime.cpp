#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "lpot/core/error.h"
#include "lpot/runtime/onnxruntime.h"

namespace lpot {
extern const std::string_view kOnnxRuntimeWorker;  // onnxruntime_worker.py, from cmake/embed_file.cmake

namespace {
namespace fs = std::filesystem;

constexpr const char* kChosenPython = "LPOT_ONNXRUNTIME_PYTHON";
constexpr const char* kPackagePython = "LPOT_PACKAGE_PYTHON";  // set by python/lpot/__main__.py

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// `.venv` beside a folder that contains this program: build/bin/lpot belongs to the .venv beside build.
std::string python_of_source_tree() {
  constexpr int kLevels = 4;  // folders above the program that are searched
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int level = 0; level < kLevels && folder.has_relative_path(); ++level, folder = folder.parent_path())
    if (const fs::path python = folder / ".venv/bin/python"; fs::exists(python, error)) return python.string();
  return "";
}

std::vector<std::string> candidates() {
  if (const std::string chosen = environment(kChosenPython); !chosen.empty()) return {chosen};
  std::vector<std::string> all;
  for (const std::string& python : {python_of_source_tree(), environment(kPackagePython), std::string("python3")})
    if (!python.empty() && std::find(all.begin(), all.end(), python) == all.end()) all.push_back(python);
  return all;
}

}  // namespace

OnnxRuntime start_onnxruntime() {
  std::vector<std::string> reasons;
  for (const std::string& python : candidates()) {
    try {
      return OnnxRuntime({python, "-c", std::string(kOnnxRuntimeWorker)});
    } catch (const ConfigError& error) {
      const std::string message = error.what();  // "[process] ..."
      reasons.push_back(message.substr(message.find("] ") + 2));
    }
  }
  throw ConfigError("onnxruntime",
                    fmt::format("no Python with ONNX Runtime found: {}. Install it with 'python3 -m pip install "
                                "onnxruntime', or set {} to a Python that has it",
                                fmt::join(reasons, "; "), kChosenPython));
}

}  // namespace lpot
