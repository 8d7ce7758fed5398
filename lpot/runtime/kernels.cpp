#include "lpot/runtime/kernels.h"

#include <algorithm>
#include <array>
#include <map>

#include "lpot/runtime/latency.h"

namespace lpot {
namespace {

constexpr int kWarmup = 3;

// Nodes without work: data, and reshapes that only change the view of it.
bool is_data(const ExecutedOp& op) {
  return op.type == "Input" || op.type == "Output" || op.type == "Const" || op.type == "Reshape";
}

}  // namespace

bool is_conversion(const ExecutedOp& op) {
  constexpr auto kTypes = std::to_array<std::string_view>({"Reorder", "Convert", "Transpose"});
  return std::find(kTypes.begin(), kTypes.end(), op.type) != kTypes.end();
}

KernelReport profile_kernels(const Model& model, const std::vector<Tensor>& inputs, int runs, int threads) {
  CompileOptions options{.threads = threads, .profile = true};
  for (const Tensor& input : inputs) options.input_shapes.push_back(input.shape());
  Executable executable(model, options);
  std::map<std::string, std::vector<double>> times;
  for (int run = 0; run < kWarmup + runs; ++run) {
    executable.infer(inputs);
    if (run < kWarmup) continue;
    for (const ExecutedOp& op : executable.executed_ops()) times[op.name].push_back(op.time_ms);
  }
  KernelReport report;
  for (ExecutedOp& op : executable.executed_ops()) {
    op.time_ms = summarize(times[op.name]).median_ms;
    if (is_data(op)) continue;
    if (op.is_in_body) {
      report.int8_kernels_in_bodies += op.is_int8() && !is_conversion(op);
      report.kernels.push_back(std::move(op));
      continue;
    }
    // Reshapes and kernels that run once at compile time do not count.
    if (op.time_ms == 0 && !op.is_int8()) continue;
    report.total_ms += op.time_ms;
    if (is_conversion(op)) {
      ++report.conversions;
      report.conversions_ms += op.time_ms;
    } else if (op.is_int8()) {
      ++report.int8_kernels;
      report.int8_ms += op.time_ms;
    }
    report.kernels.push_back(std::move(op));
  }
  return report;
}

}  // namespace lpot
