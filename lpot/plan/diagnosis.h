// The expected effect of quantization on every op of a model: noise, overflow, outliers and speed. It is computed from
// calibration statistics and kernel times, without a trial.
//
//   for (const OpDiagnosis& op : diagnose(config, {.model = "net.onnx"}))  // tune/tune.h
//     for (const Finding& finding : findings(op)) std::cout << op.op << ": " << finding.text << "\n";
//
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lpot {

// The channels of the input activation of an op.
struct ChannelDiagnosis {
  std::size_t count = 0;
  std::size_t dead = 0;      // channels whose value never changes
  std::size_t outliers = 0;  // channels with a much wider range than most
  double widest = 0;         // range of the widest channel divided by the median range

  bool operator==(const ChannelDiagnosis&) const = default;
};

struct OpDiagnosis {
  std::string op;
  std::string type;
  std::string tensor;           // name of the input activation that is quantized
  std::optional<double> noise;  // expected noise-to-signal ratio (quantize/noise.h); unset: the op is not in int8
  bool saturates = false;       // with full-range weights on CPUs that accumulate in 16 bits
  ChannelDiagnosis channels = {};
  std::optional<double> fp32_ms = {};  // not quantized: fp32, or the 16-bit precision of the plan; unset: not measured
  std::optional<double> int8_ms = {};  // of the chosen kernel variant
  bool slower_in_int8 = false;
  std::size_t samples = 0;  // upper bound of the number of calibration samples

  std::optional<double> decibels() const;  // signal-to-noise ratio
  bool operator==(const OpDiagnosis&) const = default;
};

// A problem of one op and a line of YAML that addresses it. The line can be used as a second configuration file.
struct Finding {
  std::string kind;  // "noise", "saturation", "outliers", "dead", "slower"
  std::string text;
  std::string yaml;
};
std::vector<Finding> findings(const OpDiagnosis&);

nlohmann::ordered_json to_json(const OpDiagnosis&);  // with its findings
OpDiagnosis op_diagnosis_from_json(const nlohmann::ordered_json&);
std::vector<Finding> findings_from_json(const nlohmann::ordered_json& op);  // as stored, not computed again

// A histogram of the input tensor of a noisy op, and the range that the tensor was quantized with.
struct TensorHistogram {
  std::string tensor;
  std::string op;
  std::string algorithm;
  double range_low = 0, range_high = 0;
  double low = 0, high = 0;  // the smallest and the largest value
  std::vector<std::uint64_t> counts = {};
};
nlohmann::ordered_json to_json(const TensorHistogram&);
TensorHistogram tensor_histogram_from_json(const nlohmann::ordered_json&);

}  // namespace lpot
