#include "lpot/tune/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lpot/quantize/noise.h"
#include "lpot/quantize/recipes/saturation.h"
#include "lpot/tune/measure.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

using Json = nlohmann::ordered_json;

// Below this the noise of one op shows in the outputs of most networks.
constexpr double kLowDecibels = 20;
constexpr double kFarWider = 10;
constexpr std::size_t kFewChannels = 4;  // too few to say which of them is unlike the others

void look_at_channels(OpDiagnosis& found, const TensorStatistics& tensor) {
  std::vector<double> widths;
  for (const ChannelStatistics& channel : tensor.channels()) {
    widths.push_back(static_cast<double>(std::max(std::fabs(channel.min), std::fabs(channel.max))));
    if (channel.min == channel.max) ++found.dead;
  }
  found.channels = widths.size();
  if (widths.size() < kFewChannels) {
    found.dead = 0;
    return;
  }
  std::vector<double> sorted = widths;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2];
  if (median <= 0) return;
  found.widest = sorted.back() / median;
  found.outliers = static_cast<std::size_t>(
      std::count_if(widths.begin(), widths.end(), [&](double width) { return width > kFarWider * median; }));
}

std::string quoted(const std::string& name) { return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string keep_fp32(const std::string& op) {
  return fmt::format("quantization: {{op_wise: {{{}: {{activation: {{dtype: [fp32]}}, weight: {{dtype: [fp32]}}}}}}}}",
                     quoted(op));
}

}  // namespace

std::optional<double> OpDiagnosis::decibels() const {
  if (!noise || *noise <= 0) return std::nullopt;
  return -10 * std::log10(*noise);
}

std::vector<OpDiagnosis> diagnose(const Bench& bench, std::size_t samples, const Statistics& statistics,
                                  const std::map<std::string, double>& noise,
                                  const std::vector<std::string>& saturating, const FormChoice& forms) {
  std::vector<OpDiagnosis> all;
  for (const QuantizableOp& op : bench.ops) {
    OpDiagnosis found;
    found.op = op.name;
    found.type = op.type;
    found.tensor = op.activation;
    found.samples = samples;
    if (const auto known = noise.find(op.name); known != noise.end()) found.noise = known->second;
    found.saturates = std::find(saturating.begin(), saturating.end(), op.name) != saturating.end();
    if (const auto known = statistics.find(op.activation); known != statistics.end())
      look_at_channels(found, known->second);
    if (const auto known = forms.times.find(op.name); known != forms.times.end()) {
      found.fp32_ms = known->second.fp32_ms;
      found.int8_ms = forms.forms.contains(op.name) ? known->second.convolution_ms : known->second.plain_ms;
    }
    const auto& slower = forms.slower_in_int8;
    found.slower_in_int8 = std::find(slower.begin(), slower.end(), op.name) != slower.end();
    all.push_back(std::move(found));
  }
  return all;
}

std::vector<Finding> findings(const OpDiagnosis& op) {
  std::vector<Finding> found;
  if (op.decibels() && *op.decibels() < kLowDecibels)
    found.push_back({"noise", fmt::format("only {:.1f} dB of signal over noise", *op.decibels()), keep_fp32(op.op)});
  if (op.slower_in_int8)
    found.push_back(
        {"slower",
         fmt::format("slower in int8: {:.3f} ms, fp32 {:.3f} ms", op.int8_ms.value_or(0), op.fp32_ms.value_or(0)),
         keep_fp32(op.op)});
  if (op.outliers > 0) {
    const bool is_product = op.type == "MatMul";
    found.push_back({"outliers",
                     fmt::format("{} of {} channels stand out, the widest {:.0f} x the median", op.outliers,
                                 op.channels, op.widest),
                     fmt::format("quantization: {{recipes: {{{}: true}}}}",
                                 is_product ? "smooth_quant" : "cross_layer_equalization")});
  }
  if (op.saturates)
    found.push_back({"saturation", "sums overflow on CPUs without VNNI unless weights take half the range",
                     "quantization: {recipes: {half_range: true}}"});
  if (op.dead > 0)
    found.push_back({"dead",
                     fmt::format("{} of {} channels never change in the calibration data", op.dead, op.channels),
                     fmt::format("quantization: {{calibration: {{sampling_size: {}}}}}",
                                 4 * std::max<std::size_t>(1, op.samples))});
  return found;
}

Json to_json(const OpDiagnosis& op) {
  Json json{{"op", op.op}, {"type", op.type}, {"tensor", op.tensor}};
  if (op.noise) json["noise"] = *op.noise;
  if (op.decibels()) json["decibels"] = *op.decibels();
  json.update({{"saturates", op.saturates},
               {"channels", op.channels},
               {"dead", op.dead},
               {"outliers", op.outliers},
               {"widest", op.widest},
               {"slower_in_int8", op.slower_in_int8}});
  if (op.fp32_ms) json.update({{"fp32_ms", *op.fp32_ms}, {"int8_ms", *op.int8_ms}});
  json["findings"] = Json::array();
  for (const Finding& finding : findings(op))
    json["findings"].push_back({{"kind", finding.kind}, {"text", finding.text}, {"yaml", finding.yaml}});
  return json;
}

std::vector<OpDiagnosis> diagnose_model(const Config& config, const TuneOptions& options, const Observer& observer) {
  Bench bench = make_bench(config, options.model, options.own, observer);
  const StatisticsByPlan all = statistics_for(
      bench, config, observer, [](const std::string&) { return std::nullopt; },
      [](const std::string&, const std::string&) {});
  const Plan first = first_plan(bench.space);
  const Statistics& statistics = all.of(first);
  const Plan plan = carried_out(bench, config, all)(first);
  const FormChoice forms = measure_forms(bench, plan, statistics, first_sample(bench.model, bench.calibration), config,
                                         {}, {options.form_memory, bench.cpu}, observer);
  std::vector<std::string> told_before;
  const Plan whole = first_plan(make_search_space(bench.ops, bench.wanted, false, told_before));
  std::vector<OpDiagnosis> found =
      diagnose(bench, std::min(config.quantization.sampling_sizes.front(), bench.calibration.size()), statistics,
               expected_noise(bench.model, plan, statistics),
               is_dynamic(config) ? std::vector<std::string>{} : saturating_ops(bench.model, whole, statistics), forms);
  std::stable_sort(found.begin(), found.end(), [](const OpDiagnosis& a, const OpDiagnosis& b) {
    return a.noise.value_or(0) > b.noise.value_or(0);
  });
  return found;
}

}  // namespace lpot
