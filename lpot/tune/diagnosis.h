// What quantization does to every op, told from statistics and kernel times alone: nothing is tuned.
//
//   for (const OpDiagnosis& op : diagnose(bench, statistics, noise, saturating, forms))
//     for (const Finding& finding : findings(op)) ...
//
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/forms/choice.h"
#include "lpot/tune/bench.h"
#include "lpot/tune/quantization.h"

namespace lpot {

struct OpDiagnosis {
  std::string op;
  std::string type;
  std::string tensor;             // the activation that is quantized in front of it
  std::optional<double> noise;    // expected, as a share of its signal (quantize/noise.h); nothing: not in int8
  bool saturates = false;         // with whole-range weights on CPUs that sum products in 16 bits
  std::size_t channels = 0;       // of the activation
  std::size_t dead = 0;           // channels that always have one value
  std::size_t outliers = 0;       // channels far wider than most
  double widest = 0;              // the widest channel by the median one
  std::optional<double> fp32_ms;  // nothing: not measured
  std::optional<double> int8_ms;  // in the form that was chosen
  bool slower_in_int8 = false;
  std::size_t samples = 0;  // that the statistics are of, at most

  std::optional<double> decibels() const;  // signal to noise
};

// In topological order. `noise` and `saturating` as their headers say, of a plan with everything in int8.
std::vector<OpDiagnosis> diagnose(const Bench&, std::size_t samples, const Statistics&,
                                  const std::map<std::string, double>& noise,
                                  const std::vector<std::string>& saturating, const FormChoice&);

// One remark about an op and a line of YAML that acts on it: as a second configuration file it changes just that.
struct Finding {
  std::string kind;  // "noise", "saturation", "outliers", "dead", "slower"
  std::string text;
  std::string yaml;
};
std::vector<Finding> findings(const OpDiagnosis&);

nlohmann::ordered_json to_json(const OpDiagnosis&);  // with its findings

// Calibrates, compares kernel forms, and diagnoses; the noisiest first. Throws Error.
std::vector<OpDiagnosis> diagnose_model(const Config&, const TuneOptions&, const Observer& = {});

}  // namespace lpot
