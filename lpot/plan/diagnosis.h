// What quantization does to every op of a model, as far as statistics and kernel times tell without a trial.
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

// The channels of the activation in front of an op.
struct ChannelDiagnosis {
  std::size_t count = 0;
  std::size_t dead = 0;      // channels that always have one value
  std::size_t outliers = 0;  // channels far wider than most
  double widest = 0;         // the widest channel by the median one

  bool operator==(const ChannelDiagnosis&) const = default;
};

struct OpDiagnosis {
  std::string op;
  std::string type;
  std::string tensor;           // the activation that is quantized in front of it
  std::optional<double> noise;  // expected, as a share of its signal (quantize/noise.h); nothing: not in int8
  bool saturates = false;       // with full-range weights on CPUs that sum products in 16 bits
  ChannelDiagnosis channels = {};
  std::optional<double> fp32_ms = {};  // nothing: not measured
  std::optional<double> int8_ms = {};  // of the kernel variant that was chosen
  bool slower_in_int8 = false;
  std::size_t samples = 0;  // that the statistics come from, at most

  std::optional<double> decibels() const;  // signal to noise
  bool operator==(const OpDiagnosis&) const = default;
};

// One remark about an op and a line of YAML that acts on it: as a second configuration file it changes just that.
struct Finding {
  std::string kind;  // "noise", "saturation", "outliers", "dead", "slower"
  std::string text;
  std::string yaml;
};
std::vector<Finding> findings(const OpDiagnosis&);

nlohmann::ordered_json to_json(const OpDiagnosis&);  // with its findings
OpDiagnosis op_diagnosis_from_json(const nlohmann::ordered_json&);
std::vector<Finding> findings_from_json(const nlohmann::ordered_json& op);  // as they were when it was written

// The values of a tensor in front of a noisy op, in a few bins, and the range that they were quantized with.
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
